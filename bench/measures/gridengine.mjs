/**
 * The same commands and scripts, on a yard and on a real Grid Engine with the same slots, both brought up for this and
 * idle otherwise. They take turns, so that a busy moment of the machine does not fall on one of them alone.
 */

import { withGridEngine } from '../gridengine/cell.mjs';
import { GRID_ENGINE, gridEngineVersion } from '../gridengine/programs.mjs';
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

const QUEUE = 'cpu';
const SLOTS = 4;
const IN_A_LOOP = 200;
const TASKS = 200;
/** How often it is repeated in one round. */
const STARTS = 5;

const YARD_CONFIG = `
[node]
cpus = ${SLOTS}

[queues.${QUEUE}]
default = true
`;

const SCRIPTS = {
  'true.sh': '#!/bin/sh\n#$ -o /dev/null -j y\ntrue\n',
  'clock.sh': '#!/bin/sh\n#$ -j y\ndate +%s%N\n',
};

const MEASURED = ['loop', 'loopToItsEnd', 'array', 'starts'];

export async function measureGridEngine({ rounds, say, named }) {
  if (!isAtHand(GRID_ENGINE, { say, named })) return [];
  return withYardOf(YARD_CONFIG, (yard) =>
    withGridEngine({ queue: QUEUE, slots: SLOTS }, async (cell) => {
      const sides = {
        theirs: side(cell, SCRIPTS, MEASURED),
        ours: side(await withCommands(yard), SCRIPTS, MEASURED),
      };
      say('warming up');
      for (const each of Object.values(sides)) await warmUp(each);
      for (let round = 0; round < rounds; round++) {
        say(`round ${round + 1} of ${rounds}`);
        for (const each of Object.values(sides)) await measureOnce(each);
      }
      return rowsOf({ ...sides, version: gridEngineVersion(cell.env) });
    }),
  );
}

/** Both begin with what they have never done, and neither is measured by that. */
async function warmUp(side) {
  await submitInALoop(side, IN_A_LOOP / 2);
  await untilIdle(side);
}

const submitInALoop = (side, count) =>
  sh(side, `i=0; while [ $i -lt ${count} ]; do qsub -q ${QUEUE} true.sh >/dev/null; i=$((i+1)); done`);

async function measureOnce(side) {
  const startedAt = performance.now();
  await submitInALoop(side, IN_A_LOOP);
  side.times.loop.push(performance.now() - startedAt);
  await untilIdle(side);
  side.times.loopToItsEnd.push(performance.now() - startedAt);
  side.times.array.push(
    await timed(async () => {
      await sh(side, `qsub -q ${QUEUE} -t 1-${TASKS} true.sh`);
      await untilIdle(side);
    }),
  );
  for (let i = 0; i < STARTS; i++) side.times.starts.push(await startDelay(side));
}

const untilIdle = (side) => untilSilent(side, "exec qstat -u '*'");

async function startDelay(side) {
  const output = newFile(side);
  const submittedMs = performance.timeOrigin + performance.now();
  await sh(side, `exec qsub -sync y -q ${QUEUE} -o ${output} clock.sh`);
  return readTimesMs(output)[0] - submittedMs;
}

function rowsOf(sides) {
  const row = (what, key, render) => compared(what, key, render, sides);
  const rate = (count) => (ms) => perSecond(count, ms);
  return [
    row(`${IN_A_LOOP} × qsub in a loop`, 'loop', rate(IN_A_LOOP)),
    row('the same, until all these jobs have ended', 'loopToItsEnd', rate(IN_A_LOOP)),
    row(`qsub of an array of ${TASKS} × true, to its end`, 'array', rate(TASKS)),
    row('qsub → first instruction', 'starts', milliseconds),
  ];
}
