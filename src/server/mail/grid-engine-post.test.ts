/** Which letters are written, told by a real loop with an engine that does as the test says. */

import { afterEach, expect, test } from 'vitest';
import { aJob, aPolicy, type JobBuilder, MINUTE, SECOND } from '../../../test/builders.ts';
import { notingEngine, SURROUNDINGS } from '../../../test/noting-engine.ts';
import type { Observation } from '../../model/command.ts';
import type { MailOccasion } from '../../model/job-spec.ts';
import { manualClock } from '../../platform/clock.ts';
import { createMemoryStore } from '../../store/memory.ts';
import { type OpenYard, openYard } from '../loop.ts';
import { openGridEnginePost } from './grid-engine-post.ts';

let yard: OpenYard | null = null;
afterEach(() => yard?.close());

async function aYardWithMail() {
  const clock = manualClock(1_000_000);
  const noted = notingEngine(4);
  const opened = await openYard({
    store: createMemoryStore(),
    engine: noted.engine,
    policy: aPolicy(),
    clock,
    log: () => {},
    surroundings: SURROUNDINGS,
    keepHistoryMs: MINUTE,
  });
  yard = opened;
  const sent: string[] = [];
  const open = () =>
    openGridEnginePost({
      yard: opened,
      surroundings: { host: 'box', zone: 'UTC' },
      log: (line) => sent.push(`LOG ${line}`),
      sender: { send: ({ to, subject }) => void sent.push(`${to}: ${subject}`) },
    });
  let stop = open();
  const told = async (act: () => void) => {
    const committed = new Promise<void>((resolve) => {
      const listening = opened.onCommit(() => {
        listening();
        resolve();
      });
    });
    act();
    await committed;
  };
  const report = (observation: Observation) => told(() => noted.context().report(observation));
  return {
    sent,
    reopen() {
      stop();
      stop = open();
    },
    async submit(job: JobBuilder, dialect: string, ...on: MailOccasion[]) {
      const spec = { ...job.spec, origin: { dialect, words: {} }, mail: { to: 'ann', on } };
      await opened.command({ type: 'submit', spec });
    },
    tell: (command: Parameters<OpenYard['command']>[0]) => told(() => void opened.command(command)),
    starts: (attempt: string) => report({ type: 'attemptRunning', attempt, forMs: 0 }),
    ends(attempt: string, code: number | null, signal: number | null = null) {
      clock.advance(3 * SECOND);
      const exit = { code, signal, outOfMemory: false };
      return report({ type: 'attemptEnded', attempt, exit, usage: null, fault: null });
    },
  };
}

const ref = (job: number) => ({ job, index: null });
const ALL: readonly MailOccasion[] = ['begin', 'end', 'abort', 'suspend'];

test('a job that goes well', async () => {
  const { submit, starts, ends, sent } = await aYardWithMail();
  await submit(aJob().named('x'), 'gridengine', ...ALL);
  await starts('1.1');
  await ends('1.1', 0);
  expect(sent).toEqual(['ann: Job 1 (x) Started', 'ann: Job 1 (x) Complete']);
});

test('only what was asked for, and nothing about jobs in other words', async () => {
  const { submit, starts, ends, sent } = await aYardWithMail();
  await submit(aJob().named('x'), 'gridengine', 'end');
  await submit(aJob().named('y'), 'slurm', 'begin', 'end');
  await submit(aJob().named('z'), 'gridengine');
  for (const attempt of ['1.1', '2.1', '3.1']) {
    await starts(attempt);
    await ends(attempt, 0);
  }
  expect(sent).toEqual(['ann: Job 1 (x) Complete']);
});

test('a job that somebody kills', async () => {
  const { submit, starts, ends, tell, sent } = await aYardWithMail();
  await submit(aJob().named('x'), 'gridengine', 'abort');
  await starts('1.1');
  await tell({ type: 'cancel', target: ref(1), by: 'ann' });
  await ends('1.1', null, 9);
  expect(sent).toEqual(['ann: Job 1 (x) Killed', 'ann: Job 1 (x) Aborted']);
});

test('a job that is killed before it has begun', async () => {
  const { submit, tell, sent } = await aYardWithMail();
  await submit(aJob().named('x').held(), 'gridengine', 'abort', 'end');
  await tell({ type: 'cancel', target: ref(1), by: 'ann' });
  expect(sent).toEqual(['ann: Job 1 (x) Killed']);
});

test('a job that is suspended and goes on', async () => {
  const { submit, starts, tell, sent } = await aYardWithMail();
  await submit(aJob().named('x'), 'gridengine', 'suspend');
  await starts('1.1');
  await tell({ type: 'suspend', target: ref(1), by: 'ann' });
  await tell({ type: 'resume', target: ref(1), by: 'ann' });
  expect(sent).toEqual(['ann: Job 1 (x) Suspended', 'ann: Job 1 (x) Continued']);
});

test('each task of an array by itself, also with those who come later', async () => {
  const { submit, starts, ends, reopen, sent } = await aYardWithMail();
  await submit(aJob().named('x').asArray('1-2'), 'gridengine', 'begin', 'end');
  reopen();
  await starts('2.1');
  await starts('3.1');
  await ends('2.1', 0);
  expect(sent).toEqual([
    'ann: Job-array task 1.1 (x) Started',
    'ann: Job-array task 1.2 (x) Started',
    'ann: Job-array task 1.1 (x) Complete',
  ]);
});
