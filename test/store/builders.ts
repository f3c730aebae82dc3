/** Jobs, attempts and batches for tests of the store, with everything ordinary unless a test says otherwise. */

import type { Attempt, Job } from '../../src/model/job.ts';
import type { JobSpec } from '../../src/model/job-spec.ts';
import type { Batch } from '../../src/store/store.ts';

export const ENVIRONMENT_HASH = 'e'.repeat(64);

export function aSpec(changes: Partial<JobSpec> = {}): JobSpec {
  return {
    name: 'train',
    user: 'alice',
    account: null,
    queue: 'main',
    program: {
      script: null,
      argv: ['python3', 'train.py', '--epochs', '10'],
      environment: ENVIRONMENT_HASH,
      umask: 0o022,
      ulimits: { n: '1024', c: '0' },
      spread: 'once',
    },
    workDir: '/home/alice/digits',
    streams: {
      stdin: null,
      stdout: '/home/alice/digits/%j.out',
      stderr: null,
      openMode: 'truncate',
      makeDirectories: false,
    },
    resources: {
      nodes: { min: 1, max: 1 },
      ranks: 1,
      ranksPerNode: null,
      cpusPerRank: 1,
      cpusAsked: false,
      memory: null,
      gpus: null,
      exclusive: false,
      constraint: null,
      onlyNodes: [],
      exceptNodes: [],
    },
    limitMs: 3_600_000,
    warning: null,
    array: null,
    dependencies: null,
    beginAt: null,
    deadlineAt: null,
    held: false,
    priority: 0,
    nice: 0,
    requeue: true,
    comment: null,
    origin: { dialect: 'native', words: {} },
    ...changes,
  };
}

export function aJob(id: number, changes: Partial<Job> = {}): Job {
  return {
    id,
    spec: changes.spec ?? aSpec(),
    submittedAt: 1000 + id,
    phase: 'pending',
    hold: null,
    eligibleAt: 1000 + id,
    array: null,
    element: null,
    restarts: 0,
    attempt: null,
    outcome: null,
    endedAt: null,
    note: null,
    endedBy: null,
    ...changes,
  };
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
    signals: [],
    signalCount: 0,
    exit: null,
    usage: null,
    fault: null,
    ...changes,
  };
}

export function aBatch(changes: Partial<Batch> = {}): Batch {
  return {
    events: [],
    jobs: [],
    attempts: [],
    nodes: [],
    goneNodes: [],
    usage: [],
    blobs: [],
    nextJobId: 1,
    ...changes,
  };
}
