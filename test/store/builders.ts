/** Jobs, attempts and batches for tests of the store, with everything ordinary unless a test says otherwise. */

import type { Attempt, Job } from '../../src/model/job.ts';
import { newJob } from '../../src/model/job.ts';
import type { JobSpec } from '../../src/model/job-spec.ts';
import { PLAIN_SPEC } from '../../src/model/plain.ts';
import type { Step } from '../../src/model/step.ts';
import type { Batch } from '../../src/store/store.ts';

export const ENVIRONMENT_HASH = 'e'.repeat(64);

export function aSpec(changes: Partial<JobSpec> = {}): JobSpec {
  return {
    ...PLAIN_SPEC,
    name: 'train',
    user: 'alice',
    queue: 'main',
    program: {
      script: null,
      argv: ['python3', 'train.py', '--epochs', '10'],
      environment: ENVIRONMENT_HASH,
      umask: 0o022,
      ulimits: { n: '1024', c: '0' },
      spread: 'once',
      caller: null,
    },
    workDir: '/home/alice/digits',
    streams: {
      stdin: null,
      stdout: '/home/alice/digits/%j.out',
      stderr: null,
      openMode: 'truncate',
      makeDirectories: false,
    },
    limitMs: 3_600_000,
    ...changes,
  };
}

export function aJob(id: number, changes: Partial<Job> = {}): Job {
  return { ...newJob(id, changes.spec ?? aSpec(), 'pending', 1000 + id), ...changes };
}

export function ended(job: Job, endedAt: number, changes: Partial<Job> = {}): Job {
  return { ...job, phase: 'ended', outcome: 'completed', endedAt, ...changes };
}

export function anAttempt(job: number, n: number, changes: Partial<Attempt> = {}): Attempt {
  return {
    id: `${job}.${n}`,
    n,
    phase: 'running',
    placement: {
      nodes: [{ node: 'box', ranks: 1, cpus: 1, cpuIds: [0], memoryBytes: 1 << 30, devices: [] }],
    },
    assignedAt: 2000,
    startedAt: 2001,
    clockFrom: 2001,
    endedAt: null,
    warning: 'none',
    stop: null,
    suspendedAt: null,
    suspendedMs: 0,
    suspensions: 0,
    stepCount: 0,
    signals: [],
    signalCount: 0,
    exit: null,
    usage: null,
    fault: null,
    ...changes,
  };
}

export function aStep(attempt: string, n: number, changes: Partial<Step> = {}): Step {
  return {
    attempt,
    n,
    name: 'python3',
    command: ['python3', 'rank\udc80.py'],
    placement: { nodes: [{ node: 'box', ranks: 1, cpus: 1, cpuIds: [0], memoryBytes: 0, devices: [] }] },
    overlap: false,
    cpusPerRank: 1,
    startedAt: 2100,
    endedAt: null,
    stoppedBy: null,
    exit: null,
    usage: null,
    ...changes,
  };
}

export function aBatch(changes: Partial<Batch> = {}): Batch {
  return {
    events: [],
    jobs: [],
    attempts: [],
    steps: [],
    nodes: [],
    goneNodes: [],
    usage: [],
    queues: [],
    footprints: [],
    goneFootprints: [],
    blobs: [],
    nextJobId: 1,
    ...changes,
  };
}
