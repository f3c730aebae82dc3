/** What Grid Engine's users have of a yard that is killed with -9 while their jobs run: everything, once. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GridEngineYard, gridEngineYard } from './grid-engine-yard.ts';

const PATIENCE_MS = 120_000;

let yard: GridEngineYard;
beforeAll(async () => {
  yard = await gridEngineYard('[node]\nname = "box"\ncpus = 4\nmemory = "4G"\n');
}, PATIENCE_MS);
afterAll(() => yard.close(), PATIENCE_MS);

const accounting = () => readFileSync(join(yard.directory, 'sge', 'default', 'common', 'accounting'), 'utf8');

async function killDaemon(): Promise<void> {
  process.kill(await yard.daemonPid(), 'SIGKILL');
}

/** Job, task, what went wrong and the exit status of each record, in order of jobs and then of the file. */
function recordsOf(...jobs: string[]): string[] {
  return accounting()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(':'))
    .filter((fields) => jobs.includes(fields[5] ?? ''))
    .map((fields) => [fields[5], fields[35], fields[11], fields[12]].join(' '))
    .sort();
}

test('a job runs on, and what was made for it goes when it ends', async () => {
  yard.write(
    'survivor.sh',
    '#!/bin/sh',
    'echo "$TMPDIR $PE_HOSTFILE" >survivor.dirs; until [ -e survivor.go ]; do sleep 0.05; done',
    'cat "$PE_HOSTFILE"; touch "$TMPDIR/still-mine" && exit 6',
  );
  const job = await yard.submit('-cwd -j y -o survivor.out -pe smp 2 survivor.sh');
  const [directory = '', hostFile = ''] = (await yard.untilFile('survivor.dirs', '\n')).trim().split(' ');
  await killDaemon();
  expect([existsSync(directory), existsSync(hostFile)]).toEqual([true, true]);
  await yard.untilState(job, 'r');
  await yard.good('touch survivor.go');
  expect(await yard.accounts(job, 'failed', 'exit_status')).toEqual(['0', '6']);
  expect(yard.read('survivor.out')).toBe('box 2 main@box UNDEFINED\n');
  await expect.poll(() => [existsSync(directory), existsSync(hostFile)]).toEqual([false, false]);
});

test('so it does when the job ends while nobody is there', async () => {
  yard.write(
    'alone.sh',
    '#!/bin/sh',
    'echo "$TMPDIR" >alone.dir; until [ -e alone.go ]; do sleep 0.05; done; echo done >alone.done; exit 4',
  );
  const job = await yard.submit('-cwd alone.sh');
  const directory = (await yard.untilFile('alone.dir', '\n')).trim();
  await killDaemon();
  await yard.good('touch alone.go');
  await yard.untilFile('alone.done', 'done');
  expect(await yard.accounts(job, 'failed', 'exit_status')).toEqual(['0', '4']);
  await expect.poll(() => existsSync(directory)).toBe(false);
});

test('who waits with -sync y waits on', async () => {
  yard.write(
    'waited.sh',
    '#!/bin/sh',
    'echo begun >waited.begun; until [ -e waited.go ]; do sleep 0.05; done; exit 9',
  );
  const waiting = yard.bash('qsub -sync y -cwd -j y -o /dev/null waited.sh');
  await yard.untilFile('waited.begun', 'begun');
  await killDaemon();
  // Nobody else asks for a yard until the job has ended: the one who waits finds the next one.
  await yard.good('touch waited.go');
  expect(await waiting).toEqual({
    code: 9,
    stdout: expect.stringMatching(/^Your job \d+ \("waited\.sh"\) has been submitted\n$/),
    stderr: expect.stringMatching(/^Job \d+ exited with exit code 9\.\n$/),
  });
});

test('so do those who wait for an array', async () => {
  yard.write(
    'array.sh',
    '#!/bin/sh',
    'echo begun >array.$SGE_TASK_ID; until [ -e array.go ]; do sleep 0.05; done; exit $((SGE_TASK_ID - 1))',
  );
  const waiting = yard.bash('qsub -sync y -cwd -j y -o /dev/null -t 1-3 array.sh');
  for (const task of [1, 2, 3]) await yard.untilFile(`array.${task}`, 'begun');
  await killDaemon();
  await yard.good('qstat >/dev/null; touch array.go');
  const said = await waiting;
  expect(said.code).toBe(1);
  expect(`${said.stdout}${said.stderr}`.match(/\.\d exited with exit code \d/g)).toEqual([
    '.1 exited with exit code 0',
    '.2 exited with exit code 1',
    '.3 exited with exit code 2',
  ]);
});

test('holds, errors and states of queues are as they were', async () => {
  const held = await yard.submit('-h -N held -b y true');
  const wrong = await yard.submit('-o /nosuch/dir/file -b y true');
  const after = await yard.submit(`-hold_jid ${wrong} -N after -b y true`);
  await yard.untilState(wrong, 'Eqw');
  await yard.good('qmod -d gpu && qmod -sq cpu');
  await killDaemon();
  await yard.untilState(wrong, 'Eqw');
  await yard.untilState(held, 'hqw');
  await yard.untilState(after, 'hqw');
  expect(await yard.good('qstat -f | grep @')).toMatch(/^cpu@box .* s\n(.*\n)*?gpu@box .* d$/m);
  await yard.good(`qmod -e gpu && qmod -usq cpu && qrls ${held} && qdel ${wrong}`);
  expect(await yard.accounts(held, 'exit_status')).toEqual(['0']);
  expect(await yard.accounts(after, 'exit_status')).toEqual(['0']);
});

test(
  'every run has one line in the accounting file',
  async () => {
    yard.write('again.sh', '#!/bin/sh', 'echo run >>again.runs; [ $RESTARTED = 1 ] && exit 2; exit 99');
    yard.write('long.sh', '#!/bin/sh', 'echo begun >long.begun; sleep 300');
    const expected: string[] = [];
    const jobs: string[] = [];
    for (const round of [1, 2, 3]) {
      const again = await yard.submit('-cwd -j y -o /dev/null again.sh');
      const array = await yard.submit('-cwd -j y -o /dev/null -t 1-3 -N arr -b y "exit \\$SGE_TASK_ID"');
      const long = await yard.submit('-cwd -j y -o /dev/null long.sh');
      if (round > 1) await yard.untilFile('long.begun', 'begun');
      await killDaemon();
      await yard.untilFile('long.begun', 'begun');
      await yard.good(`qdel ${long} && rm -f long.begun`);
      await killDaemon();
      for (const job of [again, array, long]) await yard.untilState(job, 'gone');
      jobs.push(again, array, long);
      expected.push(`${again} 0 25 99`, `${again} 0 0 2`, `${long} 0 100 137`);
      for (const task of [1, 2, 3]) expected.push(`${array} ${task} 0 ${task}`);
    }
    await killDaemon();
    await yard.good('qstat');
    await expect.poll(() => recordsOf(...jobs), { timeout: 20_000 }).toEqual(expected.sort());
    expect((await yard.good('qacct -j again.sh')).match(/^failed /gm)).toHaveLength(6);
    const fromFile = await yard.good(
      `qacct -f "$SGE_ROOT/default/common/accounting" -j arr | grep -c '^taskid '`,
    );
    expect(fromFile).toBe('9\n');
  },
  PATIENCE_MS,
);
