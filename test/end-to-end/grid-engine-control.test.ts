/** `qdel`, `qhold`, `qrls`, `qalter`, limits and ways to end with a real yard, and what `qacct` says of them. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
const KILLED = ['100 : assumedly after job', '137                  (Killed)'];
const isThere = (name: string) => existsSync(join(yard.workDir, name));

/** What `qacct` says of each run of a job so far: what went wrong, and the exit status. */
async function endingsOf(job: string): Promise<string[]> {
  const said = await yard.good(`qacct -j ${job}`);
  return [...said.matchAll(/^(?:failed|exit_status) +(.*?) *$/gm)].map(([, text = '']) => text);
}

describe('time', () => {
  test('a job that outlives its h_rt is killed', async () => {
    const job = await yard.submit('-cwd -l h_rt=1 forever.sh');
    expect(await yard.accounts(job, ...ENDING)).toEqual([
      '37  : qmaster enforced h_rt, h_cpu, or h_vmem limit',
      '137                  (Killed)',
    ]);
  });

  test('a job is told of its s_rt, and may end by itself', async () => {
    yard.write('soft.sh', '#!/bin/sh', 'trap "echo told; exit 7" USR1', 'while :; do sleep 0.05; done');
    const job = await yard.submit('-cwd -j y -o soft.out -l s_rt=1,h_rt=300 soft.sh');
    expect(await yard.accounts(job, ...ENDING)).toEqual(['0', '7']);
    expect(yard.read('soft.out')).toContain('told\n');
  });
});

describe('-notify', () => {
  /** What the script itself said; its shell may say by what its `sleep` was ended. */
  const wordsIn = (name: string) => yard.read(name).match(/^(ready|USR1|USR2|TERM)$/gm);

  beforeAll(() => {
    yard.write(
      'notified.sh',
      '#!/bin/sh',
      'trap "echo USR1" USR1; trap "echo USR2; exit 5" USR2; trap "echo TERM" TERM',
      'echo ready; while :; do sleep 0.05; done',
    );
  });

  test('USR2 comes ahead of the end', async () => {
    const job = await yard.running('-notify -N told notified.sh');
    await yard.untilFile('told.out', 'ready');
    await yard.good(`qdel ${job}`);
    await yard.accounts(job);
    expect(wordsIn('told.out')).toEqual(['ready', 'USR2']);
  });

  test('USR1 comes ahead of being suspended', async () => {
    const job = await yard.running('-notify -N stopped notified.sh');
    await yard.untilFile('stopped.out', 'ready');
    await yard.good(`qmod -sj ${job}`);
    await yard.untilFile('stopped.out', 'USR1');
    await yard.untilState(job, 's');
    await yard.good(`qmod -usj ${job}`);
    await yard.untilState(job, 'r');
    await yard.good(`qdel ${job}`);
    await yard.accounts(job);
    expect(wordsIn('stopped.out')).toEqual(['ready', 'USR1', 'USR2']);
  });

  test('without it a job that would not end is killed, and hears nothing', async () => {
    const job = await yard.running('-N deaf notified.sh');
    await yard.untilFile('deaf.out', 'ready');
    expect(await yard.good(`qdel ${job}`)).toMatch(/^\S+ has registered the job \d+ for deletion\n$/);
    expect(await yard.accounts(job, ...ENDING)).toEqual(KILLED);
    expect(wordsIn('deaf.out')).toEqual(['ready']);
  });
});

describe('how a script ends', () => {
  test('99 runs it again, and it is told', async () => {
    yard.write('again.sh', '#!/bin/sh', 'echo "RESTARTED=$RESTARTED"; [ $RESTARTED = 1 ] || exit 99');
    const job = await yard.submit('-cwd -j y -o again.out again.sh');
    expect(await yard.accounts(job, ...ENDING)).toEqual(['0', '0']);
    expect(yard.read('again.out')).toBe('RESTARTED=0\nRESTARTED=1\n');
    expect(await endingsOf(job)).toEqual(['25  : rescheduling', '99', '0', '0']);
  });

  test('100 keeps it in error until somebody clears it', async () => {
    yard.write('hundred.sh', '#!/bin/sh', '[ -e cleared ] || exit 100');
    const job = await yard.submit('-cwd hundred.sh');
    await yard.untilState(job, 'Eqw');
    expect(await yard.good(`qstat -j ${job} | grep error`)).toMatch(
      /^error reason +1: .*exit_status of job start = 100\n.*Job is in error state\n$/,
    );
    expect(await endingsOf(job)).toEqual(['30  : application error returned', '100']);
    await yard.good(`qrls ${job}`);
    await yard.untilState(job, 'Eqw');
    await yard.good('touch cleared');
    expect(await yard.bash(`qmod -cj ${job}`)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^\S+ cleared error state of job \d+\n$/),
    });
    expect(await yard.accounts(job, ...ENDING)).toEqual(['0', '0']);
  });

  test('output that cannot be written, and a directory that is not there, are errors', async () => {
    const noOutput = await yard.submit('-cwd -e /nosuch/err forever.sh');
    const noPlace = await yard.submit('-wd /nosuch/dir -o /dev/null -j y forever.sh');
    await yard.untilState(noOutput, 'Eqw');
    await yard.untilState(noPlace, 'Eqw');
    expect(await yard.good(`qstat -j ${noOutput} | grep "error reason"`)).toContain(
      `can't open output file "/nosuch/err": No such file or directory`,
    );
    expect(await endingsOf(noOutput)).toEqual(['26  : opening input/output file', '0']);
    expect(await yard.good(`qstat -j ${noPlace} | grep "error reason"`)).toContain('/nosuch/dir');
    await yard.good(`mkdir later; qalter -e $PWD/later/err ${noOutput}; qmod -cj ${noOutput} || true`);
    await yard.untilState(noOutput, 'r');
    await yard.good(`qdel ${noOutput} ${noPlace}`);
    await yard.untilState(noOutput, 'gone');
    expect(isThere('later/err')).toBe(true);
  });

  test('a program that is not there is an error, by a first line or as a command', async () => {
    yard.write('python.py', '#!/nosuch/python', 'print(1)');
    const script = await yard.submit('-cwd -j y -o python.out python.py');
    const command = await yard.submit('-cwd -j y -o python.out -shell n -b y /nosuch/bin');
    await yard.untilState(script, 'Eqw');
    await yard.untilState(command, 'Eqw');
    expect(await yard.good(`qstat -j ${script} | grep "error reason"`)).toMatch(
      /: execvlp\(\/nosuch\/python, "\/nosuch\/python"\) failed: No such file or directory\n$/,
    );
    expect(await endingsOf(command)).toEqual(['27  : searching requested shell', '0']);
    await yard.good(`qdel ${script} ${command}`);
  });

  test('by a signal', async () => {
    const job = await yard.submit('-cwd -N signalled -b y "kill -TERM \\$\\$; sleep 300"');
    expect((await yard.accounts(job, ...ENDING))[1]).toMatch(/^143 +\(Terminated\)$/);
  });
});

describe('jobs that wait', () => {
  test('are held, changed and released', async () => {
    yard.write('changed.sh', '#!/bin/sh', 'echo "$JOB_NAME $NSLOTS $SAID"');
    const job = await yard.submit('-h -cwd -j y -o never.out changed.sh');
    await yard.untilState(job, 'hqw');
    await yard.good(`qalter -N renamed -pe smp 2 -v SAID=changed -o changed.out -q gpu ${job}`);
    await yard.good(`qrls ${job}`);
    expect(await yard.accounts(job, 'qname', 'jobname', 'slots', ...ENDING)).toEqual([
      'gpu',
      'renamed',
      '2',
      '0',
      '0',
    ]);
    expect([yard.read('changed.out'), isThere('never.out')]).toEqual(['renamed 2 changed\n', false]);
  });

  test('qhold keeps one that would start, task by task as well', async () => {
    const full = await yard.running('-pe smp 4 forever.sh');
    const job = await yard.submit('-cwd -t 1-3 -N parts -b y true');
    await yard.untilState(job, 'qw');
    await yard.good(`qhold ${job} -t 2`);
    await yard.good(`qdel ${full}`);
    await until(
      async () => /^ *\d+ .* hqw .* 2$/m.test(await yard.good('qstat')),
      () => 'only the held task to be left',
    );
    await yard.good(`qrls ${job}.2`);
    await yard.untilState(job, 'gone');
    expect(await yard.good(`qacct -j ${job} | grep -c '^exit_status  *0 '`)).toBe('3\n');
  });
});

describe('qdel', () => {
  test('takes ranges of tasks, and leaves the others', async () => {
    const job = await yard.submit('-h -cwd -t 1-9 forever.sh');
    expect(await yard.good(`qdel ${job}.2-4 && qdel ${job} -t 6-9:3`)).toMatch(
      /^\S+ has deleted job-array tasks 2-4:1 of job \d+\n\S+ has deleted job-array tasks 6,9 of job \d+\n$/,
    );
    expect(await yard.good(`qstat | grep ' hqw '`)).toMatch(/ 1,5,7,8\n$/);
    await yard.good(`qdel ${job}`);
    await yard.untilState(job, 'gone');
  });

  test('takes names and patterns, and says what is not there', async () => {
    const jobs = [
      await yard.submit('-h -N sweep-a forever.sh'),
      await yard.submit('-h -N sweep-b forever.sh'),
    ];
    expect(await yard.good("qdel 'sweep-*'")).toMatch(/^(\S+ has deleted job \d+\n){2}$/);
    for (const job of jobs) await yard.untilState(job, 'gone');
    expect(await yard.bash('qdel 999999')).toMatchObject({
      code: 1,
      stdout: 'denied: job "999999" does not exist\n',
    });
  });

  test('a running array ends task by task, and each is accounted for', async () => {
    yard.write('many.sh', '#!/bin/sh', 'echo begun >many.$SGE_TASK_ID; sleep 300');
    const job = await yard.submit('-cwd -j y -o /dev/null -t 1-3 many.sh');
    for (const task of [1, 2, 3]) await yard.untilFile(`many.${task}`, 'begun');
    expect(await yard.good(`qdel ${job}.2`)).toMatch(
      /has registered the job-array task \d+\.2 for deletion\n$/,
    );
    expect(await yard.good(`qdel ${job}`)).toMatch(
      /has registered the job-array task \d+\.3 for deletion\n$/,
    );
    expect(await yard.accounts(job, ...ENDING)).toEqual(KILLED);
    expect(await yard.good(`qacct -j ${job} | grep -c '^failed  *100 '`)).toBe('3\n');
  });
});

describe('-sync y', () => {
  test('a job, an array, a failure, and a job that is deleted', async () => {
    expect(await yard.bash('qsub -sync y -cwd -N ok -b y true')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Your job (\d+) \("ok"\) has been submitted\nJob \1 exited with exit code 0\.\n$/,
      ),
    });
    expect(await yard.bash('qsub -sync y -cwd -N bad -b y "exit 3"')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^Job \d+ exited with exit code 3\.\n$/),
    });
    const array = await yard.bash('qsub -sync y -cwd -t 1-3 -N arr -b y "exit \\$((SGE_TASK_ID - 1))"');
    expect(array).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/\.1 exited with exit code 0\.\n$/),
    });
    expect(array.stderr).toMatch(
      /^Job \d+\.2 exited with exit code 1\.\nJob \d+\.3 exited with exit code 2\.\n$/,
    );
    const waiting = yard.bash('qsub -sync y -h -cwd -N gone -b y true');
    await until(
      async () => (await yard.good('qstat')).includes(' gone '),
      () => 'the job to be there',
    );
    await yard.good('qdel gone');
    expect(await waiting).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Unable to run job \d+\n$/),
    });
  });
});
