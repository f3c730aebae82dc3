import { expect, test } from 'vitest';
import type { Attempt, Job } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import { aJob, anAttempt, endedJob } from '../fake-yard.ts';
import { letterOf, type News } from './letters.ts';

const SURROUNDINGS = { host: 'box', zone: 'UTC' };
const GE: Partial<JobSpec> = {
  name: 'train',
  user: 'ada',
  queue: 'gpu',
  origin: { dialect: 'gridengine', words: {} },
};

const withSpec = (job: Job, spec: Partial<JobSpec> = {}): Job => ({
  ...job,
  spec: { ...job.spec, ...GE, ...spec },
});
const tell = (job: Job, news: News) => letterOf(job, job.attempt ?? anAttempt(), news, SURROUNDINGS);
const ended = (attempt: Partial<Attempt>, changes: Partial<Job> = {}) =>
  tell(withSpec(endedJob(17, changes, attempt)), { kind: 'ended' });
const exit = (code: number | null, signal: number | null) => ({
  exit: { code, signal, outOfMemory: false },
});

test('a job starts', () => {
  expect(tell(withSpec(aJob({ attempt: anAttempt() })), { kind: 'started' })).toEqual({
    wantedBy: ['begin'],
    subject: 'Job 17 (train) Started',
    body: [
      'Job 17 (train) Started',
      ' User       = ada',
      ' Queue      = gpu',
      ' Host       = node1',
      ' Start Time = 03/10/2026 14:15:00',
    ].join('\n'),
  });
});

test('a task of an array is called one', () => {
  const job = withSpec(aJob({ id: 21, element: { array: 17, index: 3 }, attempt: anAttempt() }));
  expect(tell(job, { kind: 'started' })?.subject).toBe('Job-array task 17.3 (train) Started');
  expect(tell(job, { kind: 'killed', by: 'ada' })?.body).toBe(
    'Job-array task 17.3 (train) was killed by ada@box',
  );
});

test('one that ended by itself is complete, whatever it returned', () => {
  const usage = { peakMemoryBytes: 12_945_555, cpuMs: 65_700, userCpuMs: 61_000 };
  expect(ended({ ...exit(3, null), usage })).toEqual({
    wantedBy: ['end'],
    subject: 'Job 17 (train) Complete',
    body: [
      'Job 17 (train) Complete',
      ' User             = ada',
      ' Queue            = gpu@node1',
      ' Host             = node1',
      ' Start Time       = 03/10/2026 14:15:00',
      ' End Time         = 03/10/2026 14:19:00',
      ' User Time        = 00:01:01',
      ' System Time      = 00:00:04',
      ' Wallclock Time   = 00:04:00',
      ' CPU              = 00:01:05',
      ' Max vmem         = 12.346M',
      ' Exit Status      = 3',
    ].join('\n'),
  });
});

test('one that a signal ended was aborted', () => {
  const letter = ended(exit(null, 9), { outcome: 'cancelled' });
  expect(letter).toMatchObject({ wantedBy: ['abort', 'end'], subject: 'Job 17 (train) Aborted' });
  expect(letter?.body.split('\n').slice(1)).toEqual([
    ' Exit Status      = 137',
    ' Signal           = KILL',
    ' User             = ada',
    ' Queue            = gpu@node1',
    ' Host             = node1',
    ' Start Time       = 03/10/2026 14:15:00',
    ' End Time         = 03/10/2026 14:19:00',
    ' CPU              = 00:00:00',
    ' Max vmem         = NA',
    'failed assumedly after job because:',
    'job 17.1 died through signal KILL (9)',
  ]);
});

test('one that could not be started is in error, and it is said what to do', () => {
  const fault = 'cannot open its output file /nosuch/x.out: its directory does not exist';
  const letter = ended(
    { ...exit(null, null), startedAt: null, fault },
    { phase: 'held', outcome: null, hold: { by: 'yard', reason: fault, isError: true } },
  );
  expect(letter).toMatchObject({
    wantedBy: ['abort', 'end'],
    subject: 'Job 17 (train) Set in error state',
  });
  expect(letter?.body).toContain('\n Exit Status      = -1\n');
  expect(letter?.body).toContain('\n CPU              = NA\n');
  expect(letter?.body).toContain(
    '\nfailed opening input/output file because:\nerror: can\'t open output file "/nosuch/x.out": No such file or directory\nUse "qmod -c <jobid>" to clear job error state\n',
  );
});

test('one that asked for another run is rescheduled', () => {
  const job = withSpec(endedJob(17, { phase: 'pending', outcome: null }, exit(99, null)), {
    aftermath: { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true },
  });
  const letter = tell(job, { kind: 'ended' });
  expect(letter).toMatchObject({ wantedBy: ['abort', 'end'], subject: 'Job 17 (train) Rescheduled' });
  expect(letter?.body).toMatch(/\nfailed rescheduling because:\nexit_status of job start = 99$/);
});

test('one that returned an error is rescheduled because of it, though it is in error', () => {
  const hold = { by: 'yard', reason: 'exit_status of job start = 100', isError: true } as const;
  const job = withSpec(endedJob(17, { phase: 'held', outcome: null, hold }, exit(100, null)), {
    aftermath: { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true },
  });
  const letter = tell(job, { kind: 'ended' });
  expect(letter).toMatchObject({
    wantedBy: ['abort', 'end'],
    subject: 'Job 17 (train) Rescheduled due to application error',
  });
  expect(letter?.body).toMatch(
    /\nfailed application error returned because:\nexit_status of job start = 100$/,
  );
});

test('one that somebody has started again: the run was aborted', () => {
  const stop = { cause: 'requeued', by: 'ada', requestedAt: 0, killAt: 0, step: 'kill' } as const;
  const job = withSpec(endedJob(17, { phase: 'pending', outcome: null }, { ...exit(null, 9), stop }));
  expect(tell(job, { kind: 'startedAgain' })).toEqual({
    wantedBy: ['abort'],
    subject: 'Pushed rescheduling of job 17',
    body: 'Your job 17 is was running on host node1. Pushed manually/automatic rescheduling for this job.',
  });
  const letter = tell(job, { kind: 'ended' });
  expect(letter?.subject).toBe('Job 17 (train) Aborted');
  expect(letter?.body).toContain('\n Exit Status      = 137\n');
  expect(letter?.body).toContain(
    '\nfailed assumedly after job because:\njob 17.1 died through signal KILL (9)',
  );
});

test('one that was killed, suspended, resumed', () => {
  const job = withSpec(aJob({ attempt: anAttempt() }));
  expect(tell(job, { kind: 'killed', by: 'root' })).toEqual({
    wantedBy: ['abort'],
    subject: 'Job 17 (train) Killed',
    body: 'Job 17 (train)  was killed by root@box',
  });
  const suspended = tell(job, { kind: 'suspended' });
  expect(suspended).toMatchObject({ wantedBy: ['suspend'], subject: 'Job 17 (train) Suspended' });
  expect(suspended?.body.split('\n').slice(1)).toEqual([
    ' Master queue    = gpu@node1',
    ' Owner           = ada',
    ' Submission time = 03/10/2026 14:10:00',
    ' Start time      = 03/10/2026 14:15:00',
  ]);
  expect(tell(job, { kind: 'continued' })?.subject).toBe('Job 17 (train) Continued');
});

test('a run that goes on has not ended', () => {
  expect(tell(withSpec(aJob({ attempt: anAttempt() })), { kind: 'ended' })).toBeNull();
});
