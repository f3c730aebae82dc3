/** `qmod` with a real yard: what it does to jobs and queues, while jobs really run and the yard is restarted. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { processInfo } from '../../src/platform/processes.ts';
import { standsStill } from '../stands-still.ts';
import { type GridEngineYard, gridEngineYard, TWO_QUEUES } from './grid-engine-yard.ts';
import { until } from './shell-yard.ts';

const PATIENCE_MS = 120_000;

let yard: GridEngineYard;
beforeAll(async () => {
  yard = await gridEngineYard(TWO_QUEUES);
  yard.write('forever.sh', '#!/bin/sh', 'echo begun; sleep 300');
}, PATIENCE_MS);
afterAll(() => yard.close(), PATIENCE_MS);

const ENDING = ['failed', 'exit_status'] as const;

test('-rj runs a job again, with its number', async () => {
  yard.write('restarted.sh', '#!/bin/sh', 'echo "run $RESTARTED"; [ $RESTARTED = 1 ] || sleep 300');
  const job = await yard.running('-r y restarted.sh');
  await yard.untilFile('restarted.sh.out', 'run 0');
  expect(await yard.good(`qmod -rj ${job}`)).toBe(`Pushed rescheduling of job ${job} on host box\n`);
  await yard.untilFile('restarted.sh.out', 'run 1');
  expect(await yard.accounts(job, ...ENDING)).toEqual(['0', '0']);
  expect(await yard.good(`qacct -j ${job} | grep -c '^failed  *25  *: rescheduling'`)).toBe('1\n');
});

test('-sj stops a job where it is, and -usj lets it go on', async () => {
  yard.write('tick.sh', '#!/bin/sh', 'while :; do echo tick >>ticks; sleep 0.05; done');
  const job = await yard.running('tick.sh');
  await yard.untilFile('ticks', 'tick');
  expect(await yard.good(`qmod -sj ${job}`)).toMatch(new RegExp(`^\\S+ - suspended job ${job}\\n$`));
  await yard.untilState(job, 's');
  await untilStopped(job);
  const soFar = yard.read('ticks');
  expect(await yard.good(`qmod -usj ${job}`)).toMatch(new RegExp(`^\\S+ - unsuspended job ${job}\\n$`));
  await yard.untilState(job, 'r');
  await until(
    () => yard.read('ticks').length > soFar.length,
    () => 'more ticks',
  );
  await yard.good(`qdel ${job}`);
  await yard.untilState(job, 'gone');
});

test('-d keeps jobs from starting and leaves those that run, through a restart of the yard', async () => {
  const before = await yard.running('-q gpu forever.sh');
  expect(await yard.good('qmod -d gpu')).toMatch(/changed state of "gpu@box" \(disabled\)\n$/);
  const kept = await yard.submit('-q gpu -cwd -N kept -b y true');
  expect(await yard.good('trainyard down; qstat -f -q gpu')).toMatch(/^gpu@box .* d$/m);
  await yard.untilState(kept, 'qw');
  await yard.untilState(before, 'r');
  expect(await yard.good('qselect -qs d')).toBe('gpu@box\n');
  expect(await yard.good('qmod -e gpu')).toMatch(/changed state of "gpu@box" \(enabled\)\n$/);
  expect(await yard.accounts(kept, ...ENDING)).toEqual(['0', '0']);
  await yard.good(`qdel ${before}`);
  await yard.untilState(before, 'gone');
});

test('-sq stops a queue and its jobs, through a restart of the yard', async () => {
  const job = await yard.running('-q gpu forever.sh');
  const own = await yard.running('-q gpu -N own forever.sh');
  await yard.good(`qmod -sj ${own}`);
  expect(await yard.good('qmod -sq gpu')).toMatch(/changed state of "gpu@box" \(suspended\)\n$/);
  await yard.untilState(job, 'S');
  await untilStopped(job);
  const kept = await yard.submit('-q gpu -cwd -N kept2 -b y true');
  expect(await yard.good('trainyard down; qstat -f -q gpu')).toMatch(/^gpu@box .* s$/m);
  await yard.untilState(job, 'S');
  await yard.untilState(kept, 'qw');
  expect(await yard.good('qmod -usq gpu')).toMatch(/changed state of "gpu@box" \(unsuspended\)\n$/);
  await yard.untilState(job, 'r');
  await yard.untilState(own, 's');
  expect(await yard.accounts(kept, ...ENDING)).toEqual(['0', '0']);
  await yard.good(`qdel ${job} ${own}`);
  await yard.untilState(job, 'gone');
  await yard.untilState(own, 'gone');
});

/** Resolves once every process of a job is stopped, which takes a moment after it is said to be. */
async function untilStopped(job: string): Promise<void> {
  const line = `for e in /proc/[0-9]*/environ; do p=\${e%/environ}; grep -qz '^JOB_ID=${job}$' $e 2>/dev/null && echo \${p#/proc/}; done; true`;
  await until(
    async () => {
      const pids = (await yard.good(line)).trim().split('\n').filter(Boolean).map(Number);
      return pids.length > 0 && pids.every((pid) => processInfo(pid) === null || standsStill(pid));
    },
    () => `job ${job} to be stopped`,
  );
}
