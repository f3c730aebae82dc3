/**
 * A thousand times /bin/true, from the first submission to the last end. A job of Trainyard's is durable
 * before it is acknowledged and has an output file and an exit record of its own; xargs has none of that and
 * is the pace of the machine. Rounds alternate, so that a busy moment does not fall on one of them alone.
 */

import { execFileSync, execSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, perSecond, ratio } from '../tools/figures.mjs';
import { submitMany, unended, untilUnended, withYard } from '../tools/yard.mjs';

const JOBS = 1000;

export async function measureThroughput({ rounds, say }) {
  return withYard(2, async (yard) => {
    const times = { xargs: [], trainyard: [], array: [], tsp: [] };
    const leftOvers = [];
    const hasTsp = isInstalled('tsp');
    if (!hasTsp) say('tsp is not installed (Debian: apt-get install task-spooler): left out');
    for (let round = 0; round < rounds; round++) {
      times.xargs.push(timed(() => execSync(`seq ${JOBS} | xargs -P2 -n1 /bin/true`)));
      times.trainyard.push(await timeJobs(yard, JOBS));
      times.array.push(await timeArray(yard, JOBS));
      if (hasTsp) times.tsp.push(timeTsp(leftOvers));
    }
    for (const directory of leftOvers) rmSync(directory, { recursive: true, force: true });
    const xargs = median(times.xargs);
    const row = (what, samples) => ({
      what,
      figure: perSecond(JOBS, median(samples)),
      against: `xargs -P2: ${perSecond(JOBS, xargs)}`,
      ratio: ratio(xargs / median(samples)),
    });
    const rows = [
      row('1,000 × true as durable jobs, submitted one by one', times.trainyard),
      row('1,000 × true as durable jobs, one array', times.array),
    ];
    if (hasTsp) rows.push(row('the same with tsp, two at a time', times.tsp));
    return rows;
  });
}

/** Milliseconds from the first submission until so many jobs have ended. */
export async function timeJobs(yard, jobs) {
  const before = await unended(yard);
  const startedAt = performance.now();
  await submitMany(yard, jobs, { command: ['/bin/true'], streams: { stdout: 'true-%j.out' } });
  await untilUnended(yard, before);
  return performance.now() - startedAt;
}

/** The same as one array of so many elements, each a job with an output file of its own. */
async function timeArray(yard, jobs) {
  const before = await unended(yard);
  const startedAt = performance.now();
  await submitMany(yard, 1, {
    command: ['/bin/true'],
    array: `1-${jobs}`,
    streams: { stdout: 'true-%A_%a.out' },
  });
  await untilUnended(yard, before);
  return performance.now() - startedAt;
}

/** What it leaves is removed at the end: ext4 takes longer to create files after many were deleted. */
function timeTsp(leftOvers) {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-bench-tsp-'));
  const env = { ...process.env, TMPDIR: directory, TS_SOCKET: join(directory, 'socket'), TS_SLOTS: '2' };
  env.TS_MAXFINISHED = `${JOBS}`;
  const script = `i=0; while [ $i -lt ${JOBS} ]; do tsp /bin/true >/dev/null; i=$((i+1)); done
    while tsp | grep -q -E ' (running|queued) '; do sleep 0.01; done`;
  try {
    return timed(() => execFileSync('sh', ['-c', script], { env }));
  } finally {
    execFileSync('tsp', ['-K'], { env });
    leftOvers.push(directory);
  }
}

function timed(work) {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

function isInstalled(program) {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
