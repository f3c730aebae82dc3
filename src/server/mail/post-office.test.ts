/** Which letters are written, told by a real loop with an engine that does as the test says. */

import { afterEach, expect, test } from 'vitest';
import { aJob, type JobBuilder } from '../../../test/builders.ts';
import { aYardWithMail, type YardWithMail } from '../../../test/yard-with-mail.ts';
import type { MailOccasion } from '../../model/job-spec.ts';

let opened: YardWithMail | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
});

async function aYard(cpus = 4) {
  const yard = await aYardWithMail(cpus);
  opened = yard;
  return {
    ...yard,
    submit: (job: JobBuilder, ...on: MailOccasion[]) =>
      yard.submit({ ...job.spec, mail: on.length === 0 ? null : { to: 'ann', on } }),
  };
}

const ref = (job: number, index: number | null = null) => ({ job, index });
const ALL: readonly MailOccasion[] = ['begin', 'end', 'fail', 'requeue', 'invalidDependency', 'timeLimit'];

test('a job that goes well', async () => {
  const { submit, starts, ends, sent } = await aYard();
  await submit(aJob().named('x'), ...ALL);
  await starts('1.1');
  await ends('1.1', 0);
  expect(sent).toEqual([
    'ann: Job_id=1 Name=x Began, Queued time 00:00:00',
    'ann: Job_id=1 Name=x Ended, Run time 00:00:03, COMPLETED, ExitCode 0',
  ]);
});

test('only what was asked for, and nothing about jobs of others', async () => {
  const { submit, starts, ends, sent } = await aYard();
  await submit(aJob().named('quiet'));
  await submit(aJob().named('end'), 'end');
  await submit(aJob().named('fail'), 'fail');
  for (const id of [1, 2, 3]) await starts(`${id}.1`);
  for (const id of [1, 2, 3]) await ends(`${id}.1`, 4);
  // As Slurm has it, the end of a job that failed is its failure.
  expect(sent).toEqual(['ann: Job_id=3 Name=fail Failed, Run time 00:00:09, FAILED, ExitCode 4']);
});

test('a job that is cancelled, before it runs and while it does', async () => {
  const { submit, starts, ends, tell, sent } = await aYard();
  await submit(aJob().named('held').held(), ...ALL);
  await submit(aJob().named('runs'), ...ALL);
  await starts('2.1');
  await tell({ type: 'cancel', target: ref(1), by: 'ann' });
  await tell({ type: 'cancel', target: ref(2), by: 'ann' });
  await ends('2.1', null, 15);
  expect(sent.slice(1)).toEqual([
    'ann: Job_id=1 Name=held Ended, Run time 00:00:00, CANCELLED, ExitCode 0',
    'ann: Job_id=2 Name=runs Ended, Run time 00:00:03, CANCELLED, ExitCode 0',
  ]);
});

test('a job that is queued again, and once more after it has ended', async () => {
  const { submit, starts, ends, tell, sent } = await aYard();
  await submit(aJob().named('x'), ...ALL);
  await starts('1.1');
  await tell({ type: 'requeue', target: ref(1), by: 'ann', hold: false });
  await ends('1.1', null, 15);
  await starts('1.2');
  await ends('1.2', 0);
  await tell({ type: 'requeue', target: ref(1), by: 'ann', hold: true });
  expect(sent.map((line) => line.replace(/,.*/, ''))).toEqual([
    'ann: Job_id=1 Name=x Began',
    'ann: Job_id=1 Name=x Requeued',
    'ann: Job_id=1 Name=x Began',
    'ann: Job_id=1 Name=x Ended',
    'ann: Job_id=1 Name=x Requeued',
  ]);
});

test('a job that waited for another in vain', async () => {
  const { submit, starts, ends, sent } = await aYard();
  await submit(aJob());
  await submit(aJob().named('dep').after('afterok', 1), ...ALL);
  await starts('1.1');
  await ends('1.1', 1);
  expect(sent).toEqual([
    'ann: Job_id=2 Name=dep Invalid dependency',
    'ann: Job_id=2 Name=dep Ended, Run time 00:00:00, CANCELLED, ExitCode 0',
  ]);
});

test('an array as a whole', async () => {
  const { submit, starts, ends, sent } = await aYard();
  await submit(aJob().named('arr').asArray('1-3'), ...ALL);
  for (const id of [2, 3, 4]) await starts(`${id}.1`);
  await ends('2.1', 0);
  await ends('3.1', 3);
  await ends('4.1', 0);
  expect(sent).toEqual([
    'ann: Array Summary Job_id=1_* (1) Name=arr Began',
    'ann: Array Summary Job_id=1_* (1) Name=arr Failed, Mixed, ExitCode [0-3]',
  ]);
});

test('an array, whose end alone is asked for', async () => {
  const { submit, starts, ends, sent } = await aYard();
  await submit(aJob().named('arr').asArray('1-2'), 'end');
  for (const id of [2, 3]) await starts(`${id}.1`);
  for (const id of [2, 3]) await ends(`${id}.1`, 4);
  expect(sent).toEqual(['ann: Array Summary Job_id=1_* (1) Name=arr Ended, FAILED, ExitCode [4-4]']);
});

test('an array that is cancelled before all of it has begun', async () => {
  const { submit, starts, ends, tell, sent } = await aYard(1);
  await submit(aJob().named('arr').asArray('1-3'), ...ALL);
  await starts('2.1');
  await tell({ type: 'cancel', target: ref(1), by: 'ann' });
  await ends('2.1', null, 15);
  expect(sent[1]).toBe('ann: Array Summary Job_id=1_* (1) Name=arr Ended, CANCELLED, ExitCode [0-0]');
});

test('each element of an array', async () => {
  const { submit, starts, ends, sent } = await aYard();
  await submit(aJob().named('arr').asArray('1-2'), ...ALL, 'eachElement');
  for (const id of [2, 3]) await starts(`${id}.1`);
  await ends('2.1', 0);
  await ends('3.1', 1);
  expect(sent.map((line) => line.replace(/, \w+ time [^,]+/, ''))).toEqual([
    'ann: Array Task Job_id=1_1 (2) Name=arr Began',
    'ann: Array Task Job_id=1_2 (3) Name=arr Began',
    'ann: Array Task Job_id=1_1 (2) Name=arr Ended, COMPLETED, ExitCode 0',
    'ann: Array Task Job_id=1_2 (3) Name=arr Failed, FAILED, ExitCode 1',
  ]);
});

test('a post office that comes later goes on with what runs', async () => {
  const { submit, starts, ends, reopen, sent } = await aYard();
  await submit(aJob().named('x'), ...ALL);
  await submit(aJob().named('arr').asArray('1-2'), ...ALL);
  for (const id of [1, 3, 4]) await starts(`${id}.1`);
  await ends('3.1', 3);
  sent.length = 0;
  await reopen();
  await ends('1.1', 0);
  await ends('4.1', 0);
  expect(sent).toEqual([
    'ann: Job_id=1 Name=x Ended, Run time 00:00:06, COMPLETED, ExitCode 0',
    // How the first element ended was told to another.
    'ann: Array Summary Job_id=2_* (2) Name=arr Failed, FAILED',
  ]);
});

test('wishes that change', async () => {
  const { submit, starts, ends, tell, sent } = await aYard();
  const update = (job: number, mail: { to: string; on: MailOccasion[] } | null) =>
    tell({ type: 'update', target: ref(job), by: 'ann', changes: { mail } });
  await submit(aJob().named('more'));
  await submit(aJob().named('less'), ...ALL);
  await update(1, { to: 'bob', on: ['end'] });
  await update(2, null);
  for (const id of [1, 2]) await starts(`${id}.1`);
  for (const id of [1, 2]) await ends(`${id}.1`, 0);
  expect(sent).toEqual(['bob: Job_id=1 Name=more Ended, Run time 00:00:03, COMPLETED, ExitCode 0']);
});
