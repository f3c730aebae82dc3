/**
 * For tests: a yard in the situation in which the captures of `squeue` and `sinfo` were made. Four nodes of two
 * CPUs and two GPUs, five partitions, and jobs 1 to 12 three seconds after they were submitted.
 */

import {
  aJob,
  anAttempt,
  aQueue,
  aSpec,
  aView,
  type FakeYard,
  fakeYard,
} from '../../../src/dialects/fake-yard.ts';
import type { Attempt, Job, NodeShare } from '../../../src/model/job.ts';
import type { JobSpec } from '../../../src/model/job-spec.ts';
import { PLAIN_QUEUE_STATE, PLAIN_RESOURCES } from '../../../src/model/plain.ts';
import type { Queue } from '../../../src/model/policy.ts';
import type { JobView, NodeView } from '../../../src/model/query.ts';
import { type RangeSet, rangeOf } from '../../../src/model/ranges.ts';

const MEBIBYTE = 1024 ** 2;
/** 2026-11-15T20:28:35Z. */
export const SUBMITTED = 1_794_774_515_000;
const HOUR = 3_600_000;

export const QUEUES: readonly Queue[] = [
  aQueue({ name: 'cpu', isDefault: true, priority: 10 }),
  aQueue({ name: 'gpu', isDefault: false, priority: 10 }),
  aQueue({ name: 'low', isDefault: false, priority: 1, preempt: 'requeue' }),
  aQueue({ name: 'high', isDefault: false, priority: 100 }),
  aQueue({ name: 'short', isDefault: false, priority: 10, maxLimitMs: 300_000, defaultLimitMs: 60_000 }),
];

const SCRIPT = '/tmp/slurm-lab/work/cap/sleep.sh';

function spec(changes: Partial<JobSpec>): Partial<JobSpec> {
  const resources = { ...PLAIN_RESOURCES, memory: { bytes: 200 * MEBIBYTE, per: 'cpu' as const } };
  return {
    user: 'root',
    account: 'root',
    queue: 'cpu',
    limitMs: 600_000,
    workDir: '/tmp/slurm-lab/work/cap',
    streams: { ...aSpec().streams, stdout: 'slurm-%j.out' },
    origin: { dialect: 'slurm', words: { command: SCRIPT } },
    ...changes,
    resources: { ...resources, ...changes.resources },
  };
}

function share(node: string, cpuIds: readonly number[], devices: readonly number[] = []): NodeShare {
  const cpus = cpuIds.length;
  return {
    node,
    ranks: cpus,
    cpus,
    cpuIds,
    memoryBytes: 200 * MEBIBYTE * cpus,
    devices: devices.map((index) => ({ index, millis: 1000 })),
  };
}

function attempt(id: number, nodes: readonly NodeShare[], changes: Partial<Attempt> = {}): Attempt {
  const at = SUBMITTED;
  const times = { assignedAt: at, startedAt: at, clockFrom: at };
  return anAttempt({ id: `${id}.1`, ...times, placement: { nodes }, ...changes });
}

function view(job: Partial<Job>, changes: Partial<JobSpec>, more: Partial<JobView> = {}): JobView {
  return aView(aJob({ submittedAt: SUBMITTED, eligibleAt: null, ...job }, spec(changes)), more);
}

function running(
  id: number,
  name: string,
  nodes: readonly NodeShare[],
  changes: Partial<JobSpec> = {},
  job: Partial<Job> = {},
): JobView {
  const live = { id, phase: 'active', eligibleAt: SUBMITTED, attempt: attempt(id, nodes) } as const;
  return view({ ...live, ...job }, { name, ...changes });
}

/** One less for each job, save that elements share their array's and a held job takes none. */
function priorityOf(id: number): number {
  if (id > 10) return priorityOf(4);
  return 4_294_901_760 - (id > 8 ? id - 1 : id);
}

export function capturedJobs(): JobView[] {
  const indices: RangeSet = rangeOf(1, 4);
  const array = { indices, throttle: 2 };
  const two = { ...PLAIN_RESOURCES, nodes: { min: 2, max: 2 }, ranks: 3 };
  const resources = { ...two, memory: { bytes: 200 * MEBIBYTE, per: 'cpu' as const } };
  const gpus = { count: 1, per: 'node', kind: null, shareMillis: 1000 } as const;
  const echo = { dialect: 'slurm', words: { command: '/bin/echo' } };
  const ended = {
    phase: 'ended',
    endedAt: SUBMITTED,
    exit: { code: 0, signal: null, outOfMemory: false },
  } as const;
  const caller = { ...aSpec().program, spread: 'caller' } as const;
  const term = { kind: 'afterok', job: 6, index: null } as const;
  const views = [
    view(
      {
        id: 1,
        phase: 'ended',
        outcome: 'completed',
        eligibleAt: SUBMITTED,
        endedAt: SUBMITTED,
        attempt: attempt(1, [share('n1', [0])], { ...ended }),
      },
      { name: 'echo', limitMs: null, program: caller, workDir: '/tmp/slurm-lab', origin: echo },
    ),
    running(2, 'sleep.sh', [share('n1', [0])]),
    running(3, 'par', [share('n1', [1])]),
    view(
      { id: 4, array: { unstarted: rangeOf(3, 4), dropped: [], live: 2, ended: {} } },
      { name: 'arr', array },
      { reason: { kind: 'throttle', allowed: 2 } },
    ),
    running(5, 'gpujob', [share('n3', [0], [0])], {
      queue: 'gpu',
      resources: { ...PLAIN_RESOURCES, memory: resources.memory, gpus },
    }),
    running(6, 'two', [share('n3', [1]), share('n4', [0, 1])], { resources }),
    view(
      { id: 7, phase: 'waiting' },
      { name: 'dep', dependencies: { need: 'all', terms: [term] } },
      {
        reason: {
          kind: 'dependency',
          need: 'all',
          unmet: [{ term, other: { phase: 'active', outcome: null } }],
        },
      },
    ),
    view(
      { id: 8, phase: 'held' },
      { name: 'held' },
      { reason: { kind: 'held', by: 'user', note: null }, priority: null },
    ),
    view(
      { id: 9, phase: 'waiting' },
      { name: 'later', beginAt: SUBMITTED + HOUR },
      { reason: { kind: 'begin', at: SUBMITTED + HOUR } },
    ),
    running(11, 'arr', [share('n2', [0])], { array }, { element: { array: 4, index: 1 } }),
    running(12, 'arr', [share('n2', [1])], { array }, { element: { array: 4, index: 2 } }),
  ];
  return views.map((each) =>
    each.job.phase === 'held' ? each : { ...each, priority: priorityOf(each.job.id) },
  );
}

export function capturedNode(name: string, changes: Partial<NodeView['node']> = {}): NodeView {
  const device = { kind: 'gpu', memoryBytes: 0, simulated: true };
  return {
    node: {
      name,
      cpus: 2,
      cpuIds: [],
      memoryBytes: 4000 * MEBIBYTE,
      devices: [0, 1].map((index) => ({ index, ...device })),
      features: [],
      state: 'up',
      reason: null,
      ...changes,
    },
    cpusUsed: 0,
    memoryUsedBytes: 0,
    devices: [0, 1].map((index) => ({ index, usedMillis: 0, jobs: [] })),
    jobs: [],
  };
}

export function capturedYard(changes: Partial<FakeYard> = {}): FakeYard {
  return fakeYard({
    now: SUBMITTED + 3000,
    views: capturedJobs(),
    nodes: ['n1', 'n2', 'n3', 'n4'].map((name) => capturedNode(name)),
    queues: QUEUES.map((queue) => ({ queue, state: PLAIN_QUEUE_STATE, waiting: 0, running: 0 })),
    users: [
      { name: 'root', uid: 0, gid: 0, group: 'root' },
      { name: 'user2', uid: 1001, gid: 1001, group: 'user2' },
    ],
    ...changes,
  });
}
