/** The calls of programs that cannot be installed here, and how they read the answers: Kaldi, and a plugin of submitit. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GridEngineYard, gridEngineYard } from './grid-engine-yard.ts';

let yard: GridEngineYard;
beforeAll(async () => {
  yard = await gridEngineYard('[node]\ncpus = 4\nmemory = "4G"\n');
});
afterAll(() => yard.close());

const put = (name: string, lines: readonly string[]) =>
  writeFileSync(join(yard.workDir, name), `${lines.join('\n')}\n`);
const inWork = (name: string) => readFileSync(join(yard.workDir, name), 'utf8');

describe("Kaldi's queue.pl", () => {
  const QSUB = 'qsub -v PATH -cwd -S /bin/bash -j y -l arch=*64*';
  beforeAll(() => void mkdirSync(join(yard.workDir, 'q')));

  test('an array by a colon; the log that it gives to qsub and to the job is added to', async () => {
    put('q/train.sh', [
      '#!/bin/bash',
      'echo "task $SGE_TASK_ID" > train.$SGE_TASK_ID.log',
      'touch q/done.$SGE_TASK_ID',
      'exit $[0 ? 1 : 0]',
      '## submitted with:',
    ]);
    const said = await yard.bash(
      `${QSUB} -o q/train.log -l mem_free=1G,ram_free=1G -tc 2 -t 1:4 $PWD/q/train.sh >>q/train.log 2>&1`,
    );
    expect(said.code, inWork('q/train.log')).toBe(0);
    const job = /Your job\S* (\d+)[. ].+ has been submitted/.exec(inWork('q/train.log'))?.[1] ?? '';
    expect(job).toMatch(/^\d+$/);
    await yard.good('for i in 1 2 3 4; do until [ -f q/done.$i ]; do sleep 0.1; done; done');
    await yard.untilState(job, 'gone');
    expect(inWork('train.3.log')).toBe('task 3\n');
    expect(inWork('q/train.log')).toContain(`Your job-array ${job}.1-4:1 ("train.sh") has been submitted`);
    const gone = await yard.bash(`qstat -j ${job}`);
    expect([gone.code, /qmaster|gdi request/.test(gone.stderr)]).toEqual([1, false]);
  });

  test('-sync y with a job that fails', async () => {
    put('q/fail.sh', ['#!/bin/bash', 'exit 1']);
    expect((await yard.bash(`${QSUB} -o q/fail.log -sync y $PWD/q/fail.sh`)).code).toBe(1);
  });

  test('a job that was killed from outside asks to be in error, and can be cleared', async () => {
    put('q/killed.sh', [
      '#!/bin/bash',
      'ret=137',
      '[ -e ok ] && ret=0',
      '[ $ret -eq 137 ] && exit 100;',
      'exit 0',
    ]);
    const job = await yard.submit('-v PATH -cwd -S /bin/bash -j y -o q/killed.log $PWD/q/killed.sh');
    await yard.untilState(job, 'Eqw');
    // The original ends with 1 here, although all went well.
    const cleared = await yard.bash(`touch ok; qmod -cj ${job}`);
    expect(cleared.stdout).toContain(`cleared error state of job ${job}\n`);
    expect(await yard.accounts(job, 'failed', 'exit_status')).toEqual(['0', '0']);
  });
});

describe("submitit's plugin", () => {
  /** A script without a first line that says what runs it. */
  const submission = (name: string, output: string, ...more: string[]) =>
    put(name, [
      '#$ -l tmem=1G',
      '#$ -l h_vmem=1G',
      '#$ -l h_rt=00:02:00',
      '#$ -S /bin/bash',
      `#$ -o ${yard.workDir}/${output}_0_log.out`,
      `#$ -e ${yard.workDir}/${output}_0_log.err`,
      '#$ -N submitit',
      '#$ -cwd',
      '#$ -V',
      '#$ -notify',
      ...more,
    ]);
  const numberIn = (said: string) => /job(-array)? (?<id>[0-9]+)/.exec(said)?.groups?.id ?? said;

  test('a job on its way is in qstat -xml, and afterwards in qacct', async () => {
    submission(
      'one.sh',
      '$JOB_ID',
      'export SUBMITIT_JOB_ID=$JOB_ID',
      'until [ -e one.go ]; do sleep 0.1; done',
      'echo "$SUBMITIT_JOB_ID $OF_THE_CALLER"',
    );
    const job = numberIn(await yard.good('OF_THE_CALLER=here qsub one.sh'));
    await yard.untilState(job, 'r');
    expect(jobsIn(await yard.good('qstat -xml'))).toEqual({ [job]: 'running' });
    const early = await yard.bash(`qacct -j ${job}`);
    expect(early.code).not.toBe(0);
    expect(early.stderr).toMatch(/error:\sjob\sid\s(\d+)\snot\sfound/);
    await yard.good('touch one.go');
    expect(await yard.accounts(job, 'jobnumber', 'taskid', 'failed')).toEqual([job, 'undefined', '0']);
    expect(inWork(`${job}_0_log.out`)).toBe(`${job} here\n`);
  });

  test('an array: tasks that run and wait, each with files of its own, and the accounts of two jobs at once', async () => {
    submission(
      'many.sh',
      '$JOB_ID_$TASK_ID',
      '#$ -t 1-5',
      '#$ -tc 2',
      'until [ -e many.go ]; do sleep 0.1; done',
      'echo "$JOB_ID"_"$SGE_TASK_ID"',
    );
    const job = numberIn(await yard.good('qsub many.sh'));
    await yard.good(`until qstat -xml | grep -q '<tasks>2</tasks>'; do sleep 0.1; done`);
    expect(jobsIn(await yard.good('qstat -xml'))).toEqual({
      [`${job}_1`]: 'running',
      [`${job}_2`]: 'running',
      [`${job}_3`]: 'pending',
      [`${job}_4`]: 'pending',
      [`${job}_5`]: 'pending',
    });
    await yard.good('touch many.go');
    await yard.untilState(job, 'gone');
    expect(inWork(`${job}_4_0_log.out`)).toBe(`${job}_4\n`);
    const other = await yard.submit('-sync y -b y true').then((said) => said.split('\n')[0] ?? '');
    const records = (await yard.good(`qacct -j ${job},${other}`)).split(`${'='.repeat(62)}\n`).slice(1);
    const of = (record: string, field: string) => new RegExp(`^${field} +(\\S+)`, 'm').exec(record)?.[1];
    expect(
      records
        .map((record) => `${of(record, 'jobnumber')} ${of(record, 'taskid')} ${of(record, 'failed')}`)
        .sort(),
    ).toEqual([...[1, 2, 3, 4, 5].map((task) => `${job} ${task} 0`), `${other} undefined 0`].sort());
  });
});

/** Job, or job and task, → the attribute `state` of the list that it is in. */
function jobsIn(xml: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, state = '', body = ''] of xml.matchAll(/<job_list state="(\w+)">(.*?)<\/job_list>/gs)) {
    const job = /<JB_job_number>(\d+)</.exec(body)?.[1] ?? '';
    const tasks = /<tasks>(.*)<\/tasks>/.exec(body)?.[1];
    for (const task of tasks === undefined ? [''] : tasksIn(tasks))
      found[task === '' ? job : `${job}_${task}`] = state;
  }
  return found;
}

/** `3`, `1,2` or `1-5:1`. */
function tasksIn(text: string): string[] {
  const range = /^(\d+)-(\d+):(\d+)$/.exec(text)?.slice(1).map(Number);
  if (range === undefined) return text.split(',');
  const [first = 0, last = 0, step = 1] = range;
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, at) => `${first + at * step}`);
}
