/**
 * What holds when nobody says otherwise: the plainest job, and the plainest queue. Whoever makes one says only
 * what is different.
 */

import type { JobSpec, ResourceRequest } from './job-spec.ts';
import type { Queue, QueueLimits } from './policy.ts';

/** One process on one CPU. */
export const PLAIN_RESOURCES: ResourceRequest = {
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
};

export const PLAIN_SPEC: JobSpec = {
  name: 'job',
  user: 'nobody',
  account: null,
  queue: '',
  program: {
    script: null,
    argv: ['true'],
    environment: '0'.repeat(64),
    umask: 0o022,
    ulimits: {},
    spread: 'once',
  },
  workDir: '/',
  streams: {
    stdin: null,
    stdout: 'trainyard-%j.out',
    stderr: null,
    openMode: 'truncate',
    makeDirectories: true,
  },
  resources: PLAIN_RESOURCES,
  limitMs: null,
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
};

export const NO_LIMITS: QueueLimits = {
  maxRunning: null,
  maxQueued: null,
  maxCpus: null,
  maxGpus: null,
  maxRunningPerUser: null,
  maxCpusPerUser: null,
  maxGpusPerUser: null,
};

export const PLAIN_QUEUE: Queue = {
  name: 'main',
  isDefault: false,
  priority: 0,
  nodes: null,
  defaultLimitMs: null,
  maxLimitMs: null,
  defaultMemoryBytes: null,
  preempt: 'off',
  graceMs: null,
  open: true,
  limits: NO_LIMITS,
};
