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

async function aYard() {
  const yard = await aYardWithMail();
  opened = yard;
  return {
    ...yard,
    submit: (job: JobBuilder, dialect: string, ...on: MailOccasion[]) =>
      yard.submit({ ...job.spec, origin: { dialect, words: {} }, mail: { to: 'ann', on } }),
  };
}

const ref = (job: number) => ({ job, index: null });
const ALL: readonly MailOccasion[] = ['begin', 'end', 'abort', 'suspend'];

test('a job that goes well', async () => {
  const { submit, starts, ends, sent } = await aYard();
  await submit(aJob().named('x'), 'gridengine', ...ALL);
  await starts('1.1');
  await ends('1.1', 0);
  expect(sent).toEqual(['ann: Job 1 (x) Started', 'ann: Job 1 (x) Complete']);
});

test('only what was asked for, and about others in their words', async () => {
  const { submit, starts, ends, sent } = await aYard();
  await submit(aJob().named('x'), 'gridengine', 'end');
  await submit(aJob().named('y'), 'slurm', 'begin');
  await submit(aJob().named('z'), 'gridengine');
  for (const attempt of ['1.1', '2.1', '3.1']) {
    await starts(attempt);
    await ends(attempt, 0);
  }
  expect(sent).toEqual(['ann: Job 1 (x) Complete', 'ann: Slurm Job_id=2 Name=y Began, Queued time 00:00:03']);
});

test('a job that somebody kills', async () => {
  const { submit, starts, ends, tell, sent } = await aYard();
  await submit(aJob().named('x'), 'gridengine', 'abort');
  await starts('1.1');
  await tell({ type: 'cancel', target: ref(1), by: 'ann' });
  await ends('1.1', null, 9);
  expect(sent).toEqual(['ann: Job 1 (x) Killed', 'ann: Job 1 (x) Aborted']);
});

test('nothing is said of a job that is deleted before it has begun', async () => {
  const { submit, tell, sent } = await aYard();
  await submit(aJob().named('x').held(), 'gridengine', 'abort', 'end');
  await tell({ type: 'cancel', target: ref(1), by: 'ann' });
  expect(sent).toEqual([]);
});

test('a job that is suspended and goes on', async () => {
  const { submit, starts, tell, sent } = await aYard();
  await submit(aJob().named('x'), 'gridengine', 'suspend');
  await starts('1.1');
  await tell({ type: 'suspend', target: ref(1), by: 'ann' });
  await tell({ type: 'resume', target: ref(1), by: 'ann' });
  expect(sent).toEqual(['ann: Job 1 (x) Suspended', 'ann: Job 1 (x) Continued']);
});

test('each task of an array by itself, also with those who come later', async () => {
  const { submit, starts, ends, reopen, sent } = await aYard();
  await submit(aJob().named('x').asArray('1-2'), 'gridengine', 'begin', 'end');
  await reopen();
  await starts('2.1');
  await starts('3.1');
  await ends('2.1', 0);
  expect(sent).toEqual([
    'ann: Job-array task 1.1 (x) Started',
    'ann: Job-array task 1.2 (x) Started',
    'ann: Job-array task 1.1 (x) Complete',
  ]);
});

test('wishes that change, and a job that comes back', async () => {
  const { submit, starts, ends, tell, sent } = await aYard();
  await submit(aJob().named('x'), 'gridengine');
  const mail = { to: 'bob', on: ['begin'] as const };
  await tell({ type: 'update', target: ref(1), by: 'ann', changes: { mail } });
  await starts('1.1');
  await ends('1.1', 0);
  await tell({ type: 'requeue', target: ref(1), by: 'ann', hold: false });
  await starts('1.2');
  await tell({ type: 'update', target: ref(1), by: 'ann', changes: { mail: null } });
  expect(sent).toEqual(['bob: Job 1 (x) Started', 'bob: Job 1 (x) Started']);
});
