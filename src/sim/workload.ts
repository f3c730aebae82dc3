/** What people ask of a simulated yard: jobs of every kind, and then second thoughts about them. */

import type { JobChanges, UserCommand } from '../model/command.ts';
import type { JobId, JobRef } from '../model/ids.ts';
import type {
  Aftermath,
  Dependencies,
  DependencyTerm,
  JobSpec,
  ResourceRequest,
  Warning,
} from '../model/job-spec.ts';
import { NO_LIMITS, PLAIN_POLICY, PLAIN_QOS, PLAIN_QUEUE } from '../model/plain.ts';
import type { Policy, Queue } from '../model/policy.ts';
import { rangeOf } from '../model/ranges.ts';
import { SIGKILL } from '../model/signals.ts';
import type { StepRequest } from '../model/step.ts';
import { RUN_AGAIN } from './conduct.ts';
import type { Random } from './random.ts';
import { isStuck, someKeeping } from './saving.ts';

const MINUTE_MS = 60_000;
const GIB = 1024 ** 3;
const USERS = ['ann', 'bob', 'eve', 'zoe'] as const;
const NAMES = ['train', 'eval', 'sweep'] as const;

export const SIMULATED_POLICY: Policy = {
  ...PLAIN_POLICY,
  queues: [
    queue('main', { isDefault: true, priority: 1 }),
    queue('urgent', { priority: 3 }),
    queue('spare', { priority: 0, preempt: 'requeue', graceMs: 3000 }),
    queue('patient', { priority: 0, preempt: 'suspend' }),
    queue('scraps', { priority: -1, preempt: 'cancel', maxLimitMs: 30 * MINUTE_MS }),
    queue('narrow', { priority: 1, defaultLimitMs: 10 * MINUTE_MS }, { maxRunning: 3, maxRunningPerUser: 1 }),
  ],
  qos: [
    { ...PLAIN_QOS, isDefault: true },
    { ...PLAIN_QOS, name: 'low', isDefault: false, preempt: 'suspend' },
    { ...PLAIN_QOS, name: 'high', isDefault: false, priority: 1, preempts: ['low'] },
  ],
  weights: { age: 1000, fairShare: 1000, queue: 300, size: 1, qos: 100 },
  ageFullMs: 60 * MINUTE_MS,
  fairShareHalfLifeMs: 60 * MINUTE_MS,
  shares: { ann: 2 },
  perUser: { maxRunning: 8, maxQueued: null, maxCpus: null, maxGpus: 6 },
  backfill: true,
  passDepth: 100,
  graceMs: 5000,
  requeueExitCodes: [RUN_AGAIN],
  maxRestarts: 3,
  maxArraySize: 1000,
  maxQueuedJobs: 100_000,
};

function queue(name: string, changes: Partial<Queue>, limits: Partial<Queue['limits']> = {}): Queue {
  return { ...PLAIN_QUEUE, name, ...changes, limits: { ...NO_LIMITS, ...limits } };
}

export function someJob(random: Random, known: readonly JobId[], now: number): JobSpec {
  const keeping = random.chance(0.35) ? someKeeping(random) : null;
  const stuck = keeping !== null && isStuck(keeping);
  const limitMs = stuck ? MINUTE_MS : random.chance(0.7) ? random.between(1, 20) * MINUTE_MS : null;
  const beginAt = random.chance(0.1) ? now + random.between(0, 10) * MINUTE_MS : null;
  return {
    name: random.pick(NAMES),
    user: random.pick(USERS),
    account: null,
    qos: random.pick([null, null, null, 'low', 'high']),
    queue: random.pick(['', '', 'urgent', 'spare', 'spare', 'patient', 'patient', 'scraps', 'narrow']),
    ...(random.chance(0.25) ? { queueChoices: someQueues(random) } : {}),
    program: {
      script: 'f'.repeat(64),
      argv: [],
      environment: '0'.repeat(64),
      umask: 0o022,
      ulimits: {},
      spread: 'once',
      caller: null,
    },
    workDir: '/',
    streams: { stdin: null, stdout: '%j', stderr: null, openMode: 'truncate', makeDirectories: false },
    resources: someResources(random),
    limitMs,
    warning: someWarning(random, limitMs),
    array: random.chance(0.2)
      ? {
          indices: rangeOf(0, random.between(0, 12), random.between(1, 2)),
          throttle: random.chance(0.4) ? random.between(1, 4) : null,
        }
      : null,
    dependencies: random.chance(0.3) ? someDependencies(random, known) : null,
    beginAt,
    deadlineAt: random.chance(0.05) ? (beginAt ?? now) + random.between(10, 60) * MINUTE_MS : null,
    held: random.chance(0.05),
    priority: random.chance(0.1) ? random.between(0, 3000) : 0,
    nice: random.chance(0.1) ? random.between(0, 1000) : 0,
    requeue: random.chance(0.85),
    ...(random.chance(0.3) ? { aftermath: SOME_AFTERMATH } : {}),
    ...(random.chance(0.3) ? { stopSignal: random.pick([SIGKILL, 12]) } : {}),
    ...(random.chance(0.3) ? { suspendSignal: 10 } : {}),
    ...(keeping === null ? {} : { keeping }),
    ...(stuck || random.chance(0.3) ? { chain: true } : {}),
    comment: null,
    mail: null,
    origin: { dialect: 'native', words: {} },
  };
}

/** Faults and failures leave it in error. */
const SOME_AFTERMATH: Aftermath = {
  againExitCodes: [RUN_AGAIN],
  errorExitCodes: [1],
  faultsAreErrors: true,
};

function someQueues(random: Random): readonly string[] {
  return random.shuffled(SIMULATED_POLICY.queues.map(({ name }) => name)).slice(0, random.between(2, 3));
}

function someWarning(random: Random, limitMs: number | null): Warning | null {
  if (random.chance(0.1))
    return { signal: 10, beforeMs: 0, afterMs: random.between(0, 3) * MINUTE_MS, scope: 'main' };
  if (limitMs === null || random.chance(0.6)) return null;
  return { signal: 10, beforeMs: random.between(0, 2) * MINUTE_MS, scope: 'main' };
}

function someResources(random: Random): ResourceRequest {
  const nodes = random.chance(0.1) ? 2 : 1;
  const ranks = nodes * random.between(1, 2);
  const wantsGpu = random.chance(0.35);
  return {
    nodes: { min: nodes, max: random.chance(0.2) ? nodes + 1 : nodes },
    ranks,
    ...(random.chance(0.2) ? { ranksMax: ranks + random.between(0, 4) } : {}),
    ...(random.chance(0.2) ? { spread: random.pick(['wide', 'fill'] as const) } : {}),
    ranksPerNode: null,
    cpusPerRank: random.between(1, 2),
    cpusAsked: false,
    memory: random.chance(0.5)
      ? { bytes: random.between(1, 4) * GIB, per: random.pick(['node', 'rank', 'cpu'] as const) }
      : null,
    gpus: wantsGpu
      ? {
          count: random.chance(0.8) ? 1 : 2,
          per: random.pick(['job', 'job', 'node'] as const),
          kind: random.chance(0.2) ? random.pick(['a100', 'l4']) : null,
          shareMillis: random.chance(0.4) ? random.pick([250, 333, 500]) : 1000,
        }
      : null,
    exclusive: random.chance(0.05),
    constraint: random.chance(0.1) ? 'fast' : null,
    onlyNodes: [],
    exceptNodes: random.chance(0.05) ? ['n2'] : [],
  };
}

function someDependencies(random: Random, known: readonly JobId[]): Dependencies | null {
  if (known.length === 0) return null;
  const terms = Array.from({ length: random.between(1, 2) }, (): DependencyTerm => {
    const kind = random.pick([
      'after',
      'afterok',
      'afternotok',
      'afterany',
      'afterany',
      'aftercorr',
      'aftercorrany',
      'singleton',
    ] as const);
    if (kind === 'singleton') return { kind };
    const term = { kind, job: random.pick(known), index: random.chance(0.15) ? random.between(0, 5) : null };
    return kind === 'after' && random.chance(0.5)
      ? { ...term, delayMs: random.between(0, 5) * MINUTE_MS }
      : term;
  });
  return { need: random.chance(0.8) ? 'all' : 'any', terms };
}

/** Something that occurs to somebody later. Often it makes no sense any more: then it must be refused. */
export function secondThought(
  random: Random,
  known: readonly JobId[],
  live: readonly JobId[],
  now: number,
): UserCommand | null {
  if (known.length === 0) return null;
  const by = 'root';
  const type = random.pick([
    'cancel',
    'hold',
    'release',
    'release',
    'requeue',
    'requeue',
    'signal',
    'suspend',
    'resume',
    'startStep',
    'startStep',
    'startStep',
    'stopStep',
    'update',
    'update',
    'setQueue',
  ] as const);
  const isAboutLive = ABOUT_LIVE.has(type) && live.length > 0 && random.chance(0.8);
  const target: JobRef = isAboutLive
    ? { job: random.pick(live), index: null }
    : { job: random.pick(known), index: random.chance(0.3) ? random.between(0, 6) : null };
  switch (type) {
    case 'requeue':
      return { type, target, by, hold: random.chance(0.2) };
    case 'signal':
      return { type, target, by, signal: 10, scope: random.pick(['all', 'steps', { step: 0 }] as const) };
    case 'startStep':
      return { type, target, by, request: someStep(random) };
    case 'stopStep':
      return { type, target, by, step: random.between(0, 2) };
    case 'setQueue': {
      const queue = random.pick(SIMULATED_POLICY.queues).name;
      return { type, queue, by, [random.pick(['disabled', 'suspended'])]: random.chance(0.4) };
    }
    case 'update':
      return { type, target, by, changes: someChanges(random, known, now) };
    default:
      return { type, target, by };
  }
}

const ABOUT_LIVE: ReadonlySet<UserCommand['type']> = new Set<UserCommand['type']>([
  'signal',
  'suspend',
  'resume',
  'startStep',
  'stopStep',
]);

function someStep(random: Random): StepRequest {
  return {
    name: random.pick(NAMES),
    command: ['rank'],
    nodes: random.chance(0.2) ? { min: 1, max: 2 } : null,
    ranks: random.between(1, 3),
    ranksPerNode: null,
    cpusPerRank: random.chance(0.8) ? 1 : 2,
    gpus: random.chance(0.5)
      ? null
      : {
          count: random.between(0, 2),
          per: random.pick(['job', 'node', 'rank']),
          kind: null,
          shareMillis: 1000,
        },
    overlap: random.chance(0.2),
    wholeNodes: random.chance(0.2),
    distribution: random.pick(['block', 'cyclic']),
    onlyNodes: [],
    exceptNodes: [],
    firstNode: random.chance(0.9) ? 0 : 1,
  };
}

function someChanges(random: Random, known: readonly JobId[], now: number): JobChanges {
  switch (random.between(0, 9)) {
    case 0:
      return { priority: random.between(-1000, 3000) };
    case 1:
      return { limitMs: random.chance(0.2) ? null : random.between(1, 30) * MINUTE_MS };
    case 2:
      return { throttle: random.chance(0.2) ? null : random.between(0, 5) };
    case 3:
      return { queue: random.pick(['main', 'urgent', 'spare', 'patient', 'scraps', 'narrow', 'nowhere']) };
    case 4:
      return { name: random.pick(NAMES) };
    case 5:
      return { beginAt: random.chance(0.5) ? null : now + random.between(-5, 10) * MINUTE_MS };
    case 6:
      return { queueChoices: someQueues(random) };
    case 7:
      return { workDir: '/tmp', stopSignal: SIGKILL };
    case 8:
      return random.chance(0.5) ? { chain: random.chance(0.5) } : { keeping: someKeeping(random) };
    default:
      return { dependencies: random.chance(0.4) ? null : someDependencies(random, known) };
  }
}
