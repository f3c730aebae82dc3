/**
 * The same commands and scripts, on a yard and on a real Slurm with the same nodes, both brought up for this and idle
 * otherwise. They take turns, so that a busy moment of the machine does not fall on one of them alone.
 */

import { spawnSync } from 'node:child_process';
import { withSlurm } from '../slurm/cluster.mjs';
import { SLURM, slurmVersion } from '../slurm/programs.mjs';
import { milliseconds, perSecond } from '../tools/figures.mjs';
import {
  compared,
  isAtHand,
  newFile,
  readTimesMs,
  sh,
  side,
  timed,
  untilSilent,
  withCommands,
} from '../tools/sides.mjs';
import { withYardOf } from '../tools/yard.mjs';

const NODES = 4;
const CPUS = 2;
const MEMORY_MB = 4000;
const REQUEUE_EXIT = 3;

const IN_A_LOOP = 200;
const ELEMENTS = 1000;
/** How often each is repeated in one round. */
const REPEATED = { calls: 20, sruns: 10, starts: 5, requeues: 2 };

const YARD_CONFIG = `
[node]
name = "n%n"
nodes = ${NODES}
cpus = ${CPUS}
memory = "${MEMORY_MB}M"

[requeue]
exit_codes = [${REQUEUE_EXIT}]
`;

const SCRIPTS = {
  'true.sh': '#!/bin/sh\n#SBATCH --output=/dev/null\ntrue\n',
  'clock.sh': '#!/bin/sh\ndate +%s%N\n',
  'again.sh': `#!/bin/sh
#SBATCH --requeue --open-mode=append
date +%s%N
test "\${SLURM_RESTART_COUNT:-0}" -gt 0 && exit 0
date +%s%N
exit ${REQUEUE_EXIT}
`,
};

const MEASURED = ['loop', 'loopToItsEnd', 'array', 'calls', 'sruns', 'starts', 'requeues'];

export async function measureSlurm({ rounds, say, named }) {
  if (!isAtHand(SLURM, { say, named })) return [];
  return withYardOf(YARD_CONFIG, (yard) =>
    withSlurm({ nodes: NODES, cpus: CPUS, memoryMb: MEMORY_MB, requeueExit: REQUEUE_EXIT }, async (slurm) => {
      const sides = {
        slurm: side(slurm, SCRIPTS, MEASURED),
        yard: side(await withCommands(yard), SCRIPTS, MEASURED),
      };
      for (let round = 0; round < rounds; round++) {
        say(`round ${round + 1} of ${rounds}`);
        for (const side of Object.values(sides)) await measureOnce(side);
        compareCalls(sides);
      }
      return rowsOf(sides, slurmVersion());
    }),
  );
}

async function measureOnce(side) {
  const startedAt = performance.now();
  await sh(side, `i=0; while [ $i -lt ${IN_A_LOOP} ]; do sbatch true.sh >/dev/null; i=$((i+1)); done`);
  side.times.loop.push(performance.now() - startedAt);
  await untilIdle(side);
  side.times.loopToItsEnd.push(performance.now() - startedAt);
  side.times.array.push(
    await timed(async () => {
      await sh(side, `sbatch --array=1-${ELEMENTS} true.sh`);
      await untilIdle(side);
    }),
  );
  for (let i = 0; i < REPEATED.sruns; i++)
    side.times.sruns.push(await timed(() => sh(side, 'exec srun true')));
  for (let i = 0; i < REPEATED.starts; i++) side.times.starts.push(await startDelay(side));
  for (let i = 0; i < REPEATED.requeues; i++) side.times.requeues.push(await requeueGap(side));
}

/** One call of sbatch on each side in turn. The jobs are held, so that no job's start is part of the time. */
function compareCalls(sides) {
  for (let i = 0; i < REPEATED.calls; i++) {
    for (const side of Object.values(sides)) {
      const startedAt = performance.now();
      const { status, stderr } = spawnSync(programOn(side), ['--hold', 'true.sh'], {
        env: side.env,
        cwd: side.workDir,
      });
      side.times.calls.push(performance.now() - startedAt);
      if (status !== 0) throw new Error(`sbatch failed: ${stderr}`);
    }
  }
  for (const side of Object.values(sides)) spawnSync('sh', ['-c', 'scancel --me'], { env: side.env });
}

/** Found beforehand: looking along the PATH is the shell's work, not sbatch's. */
function programOn(side) {
  side.sbatch ??= spawnSync('sh', ['-c', 'command -v sbatch'], {
    env: side.env,
    encoding: 'utf8',
  }).stdout.trim();
  return side.sbatch;
}

async function startDelay(side) {
  const output = newFile(side);
  const submittedMs = performance.timeOrigin + performance.now();
  await sh(side, `exec sbatch --wait --output=${output} clock.sh`);
  return readTimesMs(output)[0] - submittedMs;
}

/** From the last deed of the first run to the first deed of the second. */
async function requeueGap(side) {
  const output = newFile(side);
  await sh(side, `exec sbatch --wait --output=${output} again.sh`);
  const [, exitMs, nextMs] = readTimesMs(output);
  return nextMs - exitMs;
}

const untilIdle = (side) => untilSilent(side, 'exec squeue --noheader --states=PENDING,RUNNING,COMPLETING');

function rowsOf({ yard, slurm }, version) {
  const row = (what, key, render) => compared(what, key, render, { ours: yard, theirs: slurm, version });
  const rate = (count) => (ms) => perSecond(count, ms);
  return [
    row(`${IN_A_LOOP} × sbatch in a loop`, 'loop', rate(IN_A_LOOP)),
    row('the same, until all these jobs have ended', 'loopToItsEnd', rate(IN_A_LOOP)),
    row(`sbatch of an array of ${ELEMENTS.toLocaleString('en')} × true, to its end`, 'array', rate(ELEMENTS)),
    row('one call of sbatch', 'calls', milliseconds),
    row('srun true', 'sruns', milliseconds),
    row('sbatch → first instruction', 'starts', milliseconds),
    row('exit → first instruction after requeue, by sbatch', 'requeues', milliseconds),
  ];
}
