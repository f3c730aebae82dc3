import { describe, expect, it } from 'vitest';
import type { Attempt, Job, StopCause } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { anAttempt, endedJob, MINUTE, NOW, runningJob } from '../../fake-yard.ts';
import { categoryOf } from './category.ts';
import { recordOf } from './of-job.ts';

const AFTERMATH = { againExitCodes: [99], errorExitCodes: [100], faultsAreErrors: true };

function gridJob(words: Readonly<Record<string, string>> = {}, attempt: Partial<Attempt> = {}): Job {
  const job = endedJob(27, {}, attempt);
  const spec: JobSpec = {
    ...job.spec,
    queue: 'cpu',
    aftermath: AFTERMATH,
    origin: { dialect: 'gridengine', words: { by: 'qsub', ...words } },
  };
  return { ...job, spec };
}

function recorded(job: Job) {
  return job.attempt === null ? null : recordOf(job, job.attempt, { group: 'staff' });
}

function exited(code: number): Partial<Attempt> {
  return { exit: { code, signal: null, outOfMemory: false } };
}

function stopped(cause: StopCause): Partial<Attempt> {
  return {
    exit: { code: null, signal: 9, outOfMemory: false },
    stop: { cause, by: 'ada', requestedAt: NOW, killAt: NOW, step: 'kill' },
  };
}

describe('the record of a run', () => {
  it('says who ran what, where, when and how long', () => {
    const usage = { peakMemoryBytes: 4608 * 1024, cpuMs: 1100, userCpuMs: 900 };
    expect(recorded(gridJob({ account: 'lab', project: 'vision' }, { usage }))).toMatchObject({
      qname: 'cpu',
      hostname: 'node1',
      group: 'staff',
      owner: 'ada',
      jobname: 'train.sh',
      jobnumber: 27,
      account: 'lab',
      project: 'vision',
      qsubTime: (NOW - 10 * MINUTE) / 1000,
      startTime: (NOW - 5 * MINUTE) / 1000,
      endTime: (NOW - MINUTE) / 1000,
      wallclock: 240,
      failed: 0,
      exitStatus: 0,
      utime: 0.9,
      maxrss: 4608,
      cpu: 1.1,
      maxvmem: 4608 * 1024,
      slots: 1,
      taskid: 0,
    });
  });

  it('is not there while it goes on', () => {
    expect(recorded(runningJob(3))).toBeNull();
  });

  it('of a task has the number of its array', () => {
    const job = { ...gridJob(), element: { array: 20, index: 3 } };
    expect(recorded(job)).toMatchObject({ jobnumber: 20, taskid: 3 });
  });

  it('counts ranks as slots, and CPUs of what was said in other words', () => {
    const share = { node: 'node1', ranks: 2, cpus: 6, cpuIds: [], memoryBytes: 0, devices: [] };
    const attempt = { placement: { nodes: [share, { ...share, node: 'node2', ranks: 1 }] } };
    expect(recorded(gridJob({ pe: 'mpi', slotRange: '3' }, attempt))).toMatchObject({
      slots: 3,
      grantedPe: 'mpi',
    });
    expect(recorded(endedJob(4, {}, attempt))).toMatchObject({ slots: 12, account: 'sge', category: 'NONE' });
  });

  it.each<[string, Partial<Attempt>, number, number]>([
    ['exits badly', exited(3), 0, 3],
    ['asks for another run', exited(99), 25, 99],
    ['asks to be looked at', exited(100), 30, 100],
    ['is ended by a signal', { exit: { code: null, signal: 11, outOfMemory: false } }, 100, 139],
    ['is deleted', stopped('cancelled'), 100, 137],
    ['runs too long', stopped('timeLimit'), 37, 137],
    ['takes too much memory', { exit: { code: null, signal: 9, outOfMemory: true } }, 37, 137],
    ['is rescheduled', stopped('requeued'), 25, 0],
    ['is lost', { phase: 'lost', exit: null }, 100, 0],
  ])('says how it failed when it %s', (_, attempt, failed, exitStatus) => {
    const record = recorded(gridJob({}, attempt));
    expect(record).toMatchObject({ failed, exitStatus, wallclock: 240 });
  });

  it.each([
    ['can\'t open output file "/nosuch/x.out": No such file or directory', 26],
    ['cannot open its output file /nosuch/x.out: its directory does not exist', 26],
    ["can't chdir to /nosuch: No such file or directory", 28],
    ['cannot enter the working directory /nosuch: no such file or directory', 28],
    ['cannot execute /nosuch/python: no such file or directory', 27],
    ['unable to find shell "/no/shell"', 27],
    ['cannot join its control group', 1],
  ])('has no times when it could not begin: %s', (fault, failed) => {
    const exit = { code: null, signal: null, outOfMemory: false };
    expect(recorded(gridJob({}, { fault, exit }))).toMatchObject({
      failed,
      exitStatus: 0,
      startTime: 0,
      endTime: 0,
      wallclock: 0,
    });
  });

  it('is there for each of several runs', () => {
    const job = gridJob();
    const first = anAttempt({ phase: 'ended', endedAt: NOW - 2 * MINUTE, ...exited(99) });
    expect(recordOf(job, first, { group: 'staff' })).toMatchObject({ failed: 25, wallclock: 180 });
  });
});

describe('the category of a job', () => {
  it.each<[Readonly<Record<string, string>>, string]>([
    [{}, 'NONE'],
    [{ queues: 'gpu,cpu' }, '-q cpu,gpu'],
    [{ queues: 'cpu', resources: 'h_rt=4' }, '-q cpu -l h_rt=4'],
    [
      { queues: 'cpu,gpu', resources: 'mem_free=1M,h_rt=0:1:40,s_rt=50', softResources: 'h_vmem=10G' },
      '-q cpu,gpu -l h_rt=100,mem_free=1M,s_rt=50 -soft -l h_vmem=10G',
    ],
    [{ masterQueues: 'cpu', pe: 'smp', slotRange: '1-3' }, '-masterq cpu -pe smp 1-3'],
    [{ queues: 'cpu', pe: 'smp', slotRange: '1', isImmediate: 'y' }, '-q cpu -pe smp 1 -I y'],
  ])('is what it asked for: %j', (words, category) => {
    expect(categoryOf(gridJob(words))).toBe(category);
  });
});
