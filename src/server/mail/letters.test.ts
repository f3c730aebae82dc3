/** Subjects as the real Slurm wrote them for the same jobs. */

import { expect, test } from 'vitest';
import { aJob, endedJob } from '../../dialects/fake-yard.ts';
import type { Exit, Job, Outcome } from '../../model/job.ts';
import { type LetterOccasion, subjectOf } from './letters.ts';

const SECOND = 1000;
const origin = { dialect: 'slurm', words: {} };

function ended(name: string, outcome: Outcome, exit: Partial<Exit>, changes: Partial<Job> = {}): Job {
  const whole: Exit = { code: null, signal: null, outOfMemory: false, ...exit };
  const job = endedJob(17, { outcome, ...changes }, { exit: whole });
  return { ...job, spec: { ...job.spec, name, origin } };
}

function subject(job: Job, occasion: LetterOccasion, seconds = 0): string {
  return subjectOf({ job, occasion, durationMs: seconds * SECOND, elements: null });
}

test.each<[string, Job, LetterOccasion, number]>([
  ['Began, Queued time 00:00:01', aJob({ id: 17 }, { name: 'ok', origin }), 'begin', 1],
  ['Ended, Run time 00:00:01, COMPLETED, ExitCode 0', ended('ok', 'completed', { code: 0 }), 'end', 1],
  ['Failed, Run time 00:00:00, FAILED, ExitCode 3', ended('ok', 'failed', { code: 3 }), 'fail', 0],
  ['Failed, Run time 00:00:01, FAILED', ended('ok', 'failed', { signal: 9 }), 'fail', 1],
  ['Failed, Run time 00:01:05, TIMEOUT, ExitCode 0', ended('ok', 'timeout', { signal: 15 }), 'fail', 65],
  ['Ended, Run time 00:00:15, CANCELLED, ExitCode 0', ended('ok', 'cancelled', { signal: 15 }), 'end', 15],
  ['Ended, Run time 00:00:00, CANCELLED, ExitCode 0', ended('ok', 'dependencyFailed', {}), 'end', 0],
  ['Invalid dependency', ended('ok', 'dependencyFailed', {}), 'invalidDependency', 0],
  ['Requeued, Run time 00:00:14', aJob({ id: 17 }, { name: 'ok', origin }), 'requeue', 14],
  [
    'Reached 50% of time limit, Run time 00:00:35',
    aJob({ id: 17 }, { name: 'ok', origin }),
    'timeLimit50',
    35,
  ],
  ['Reached time limit, Run time 1-01:00:00', aJob({ id: 17 }, { name: 'ok', origin }), 'timeLimit', 90_000],
])('%s', (words, job, occasion, seconds) => {
  expect(subject(job, occasion, seconds)).toBe(`Slurm Job_id=17 Name=ok ${words}`);
});

test('an element by itself', () => {
  const job = ended('arrt', 'failed', { code: 1 }, { id: 818, element: { array: 808, index: 2 } });
  expect(subject(job, 'fail', 1)).toBe(
    'Slurm Array Task Job_id=808_2 (818) Name=arrt Failed, Run time 00:00:01, FAILED, ExitCode 1',
  );
});

test('an array as a whole', () => {
  const progress = { unstarted: [], dropped: [], live: 0, ended: {} };
  const array = (outcome: Outcome) => ended('arr', outcome, {}, { id: 807, array: progress, element: null });
  const summary = (outcome: Outcome, occasion: LetterOccasion, low: number, high: number, signal = 0) =>
    subjectOf({
      job: array(outcome),
      occasion,
      durationMs: 0,
      elements: { lowestCode: low, highestCode: high, highestSignal: signal },
    });
  const head = 'Slurm Array Summary Job_id=807_* (807) Name=arr';
  expect(summary('completed', 'begin', 0, 0)).toBe(`${head} Began`);
  expect(summary('failed', 'fail', 0, 3)).toBe(`${head} Failed, Mixed, ExitCode [0-3]`);
  expect(summary('completed', 'end', 0, 0)).toBe(`${head} Ended, COMPLETED, ExitCode [0-0]`);
  expect(summary('failed', 'fail', 1, 3)).toBe(`${head} Failed, FAILED, ExitCode [1-3]`);
  expect(summary('cancelled', 'end', 0, 0, 9)).toBe(`${head} Ended, Mixed, MaxSignal [9]`);
  expect(subject(array('failed'), 'fail')).toBe(`${head} Failed, FAILED`);
});

test('what was submitted in other words has another name', () => {
  const job = aJob({ id: 17 }, { name: 'x' });
  expect(subject(job, 'begin', 1)).toBe('Trainyard Job_id=17 Name=x Began, Queued time 00:00:01');
});
