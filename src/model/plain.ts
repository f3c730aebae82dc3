/**
 * What holds when nobody says otherwise: the plainest job, queue, class of service and policy. Whoever makes one says only
 * what is different.
 */

import type { JobSpec, ResourceRequest } from './job-spec.ts';
import type { GpuPolicy, Policy, Qos, Queue, QueueLimits, QueueState } from './policy.ts';

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
  qos: null,
  queue: '',
  program: {
    script: null,
    argv: ['true'],
    environment: '0'.repeat(64),
    umask: 0o022,
    ulimits: {},
    spread: 'once',
    caller: null,
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
  mail: null,
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
  defaultMemoryPerCpuBytes: null,
  preempt: 'off',
  graceMs: null,
  open: true,
  limits: NO_LIMITS,
};

export const PLAIN_QUEUE_STATE: QueueState = { disabled: false, suspended: false };

export const PLAIN_QOS: Qos = {
  name: 'normal',
  isDefault: true,
  priority: 0,
  maxLimitMs: null,
  maxRunningPerUser: null,
  maxQueuedPerUser: null,
  maxCpusPerUser: null,
  maxGpusPerUser: null,
};

export const PLAIN_GPU_POLICY: GpuPolicy = {
  share: 'whole',
  arrange: 'pack',
  maxLoadMillis: 1000,
  learnAfterMs: 10 * 60_000,
  foreignToleranceMillis: 100,
  outOfMemoryExitCodes: [],
};

export const PLAIN_POLICY: Policy = {
  queues: [{ ...PLAIN_QUEUE, isDefault: true }],
  unknownQueue: 'refuse',
  qos: [PLAIN_QOS],
  unknownQos: 'accept',
  accounts: null,
  layouts: [
    { name: 'smp', spread: 'oneNode', maxRanks: null },
    { name: 'mpi', spread: 'fill', maxRanks: null },
  ],
  weights: { age: 1000, qos: 1000, fairShare: 1000, queue: 1000, size: 0 },
  ageFullMs: 7 * 86_400_000,
  fairShareHalfLifeMs: 7 * 86_400_000,
  shares: {},
  perUser: { maxRunning: null, maxQueued: null, maxCpus: null, maxGpus: null },
  backfill: true,
  passDepth: 1000,
  graceMs: 30_000,
  requeueExitCodes: [],
  requeueHoldExitCodes: [],
  fruitlessUnderMs: 10_000,
  maxFruitless: 3,
  maxStagnant: 3,
  maxRestarts: 100,
  gpu: PLAIN_GPU_POLICY,
  maxArraySize: 100_000,
  maxQueuedJobs: 1_000_000,
};
