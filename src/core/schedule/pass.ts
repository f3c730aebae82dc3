/**
 * The yard as one scheduling pass sees it: a copy of what is free, what this pass has already given away, and
 * the places it keeps for jobs that go first. The state itself is not touched.
 */

import type { JobId, NodeName, QueueName } from '../../model/ids.ts';
import type { Attempt, Job, NodeShare, Placement } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Node } from '../../model/node.ts';
import type { Policy, Queue } from '../../model/policy.ts';
import { pagesLearnt } from '../footprints/book.ts';
import { addTo } from '../job-sets.ts';
import { chooseCpuIds, copyFree, type Free, subtract } from '../ledger.ts';
import type { YardState } from '../state.ts';
import { cpusOf, gpuMillisOf, qosUser, queueUser, ranksOf, type Tally } from '../tally.ts';
import type { DeviceWishes } from './device-wishes.ts';
import { eligibleNodes } from './eligible.ts';
import type { Candidate } from './fit.ts';
import { type Running, runningNow } from './limits.ts';

export interface Pass {
  readonly state: YardState;
  readonly policy: Policy;
  readonly now: number;
  readonly free: Map<NodeName, Free>;
  readonly running: RunningInPass;
  readonly starts: Start[];
  readonly preempts: Preempt[];
  /** Who has the CPUs back that it lent. */
  readonly returns: JobId[];
  /** Who has lent its CPUs and whose turn to have them back is yet to come, the first last. */
  readonly lenders: Lender[];
  /** Whose turn has come, and who has to wait: what is free of its CPUs is kept for it in this pass. */
  readonly waiting: Set<JobId>;
  /** Jobs that others are leaving for, so that what has become free already is kept for them. */
  readonly expected: Set<JobId>;
  readonly reservations: Reservation[];
  readonly eligible: Map<string, readonly Node[]>;
  /** Those nodes with what is free on them, which changes in place as the pass gives it away. */
  readonly candidates: Map<readonly Node[], Candidates>;
  readonly takenCpuIds: Map<NodeName, Set<number>>;
  /** CPUs that somebody has lent: others come first. */
  readonly lentCpuIds: Map<NodeName, Set<number>>;
  /** Who is to show in this pass what its kind uses, by kind and model of device. */
  readonly learners: Map<string, Set<JobId>>;
  /** What groups of jobs that are alike want of devices, as far as it has been asked. */
  readonly wishes: Map<string, DeviceWishes>;
}

/** Nodes with what is free on them, and where each is in the list. */
export interface Candidates {
  readonly all: readonly Candidate[];
  readonly positions: ReadonlyMap<NodeName, number>;
}

export interface Start {
  readonly job: JobId;
  /** Which element, when the job is an array. */
  readonly index: number | null;
  readonly placement: Placement;
  readonly queue: QueueName;
  readonly endsBy: number;
}

export interface Preempt {
  readonly job: JobId;
  readonly forJob: JobId;
  /** It is suspended and lends its CPUs, rather than being ended. */
  readonly suspend: boolean;
}

export interface Lender {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly tier: number;
}

/** A place kept for a job that cannot start yet: those behind it may use it only if they are gone by then. */
export interface Reservation {
  readonly job: JobId;
  readonly queue: QueueName;
  /** Infinity when somebody in the way has no time limit. */
  readonly startAt: number;
  readonly placement: Placement;
  /** On the nodes of the placement: what will be free then, less what is kept. */
  readonly spare: Map<NodeName, Free>;
}

export function newPass(state: YardState, policy: Policy, now: number): Pass {
  const free = new Map<NodeName, Free>();
  for (const [name, ledger] of state.ledgers) free.set(name, copyFree(ledger.free));
  return {
    state,
    policy,
    now,
    free,
    running: runningInPass(state),
    starts: [],
    preempts: [],
    returns: [],
    lenders: [],
    waiting: new Set(),
    expected: new Set(),
    reservations: [],
    eligible: new Map(),
    candidates: new Map(),
    takenCpuIds: new Map(),
    lentCpuIds: new Map(),
    learners: new Map(),
    wishes: new Map(),
  };
}

/** The nodes that are up and that the job may use. */
export function nodesFor(pass: Pass, queue: Queue, spec: JobSpec): readonly Node[] {
  const { constraint, onlyNodes, exceptNodes } = spec.resources;
  const key =
    constraint === null && onlyNodes.length === 0 && exceptNodes.length === 0
      ? queue.name
      : JSON.stringify([queue.name, constraint, onlyNodes, exceptNodes]);
  let nodes = pass.eligible.get(key);
  if (nodes === undefined) {
    nodes = eligibleNodes(pass.state.nodes.values(), queue, spec).filter(({ state }) => state === 'up');
    pass.eligible.set(key, nodes);
  }
  return nodes;
}

/** When a job that starts now is certainly gone. */
export function endsBy(pass: Pass, spec: JobSpec): number {
  return spec.limitMs === null ? Number.POSITIVE_INFINITY : pass.now + spec.limitMs;
}

/** What is free for somebody who will be gone by then, reservations respected. */
export function openTo(pass: Pass, nodes: readonly Node[], until: number): readonly Candidate[] {
  const { all, positions } = candidatesOn(pass, nodes);
  const inTheWay = pass.reservations.filter(
    ({ startAt }) => until > startAt || until === Number.POSITIVE_INFINITY,
  );
  if (inTheWay.length === 0) return all;
  const open = all.slice();
  for (const { spare } of inTheWay) {
    for (const [name, left] of spare) {
      const at = positions.get(name);
      if (at === undefined) continue;
      const { node, free } = open[at] as Candidate;
      open[at] = { node, free: lesser(free, left) };
    }
  }
  return open;
}

/** What is free now, reservations aside. */
export function candidatesOn(pass: Pass, nodes: readonly Node[]): Candidates {
  let candidates = pass.candidates.get(nodes);
  if (candidates === undefined) {
    candidates = {
      all: nodes.map((node) => ({ node, free: pass.free.get(node.name) as Free })),
      positions: new Map(nodes.map(({ name }, at) => [name, at])),
    };
    pass.candidates.set(nodes, candidates);
  }
  return candidates;
}

function lesser(a: Free, b: Free): Free {
  return {
    cpus: Math.min(a.cpus, b.cpus),
    memoryBytes: Math.min(a.memoryBytes, b.memoryBytes),
    devices: a.devices.map((millis, at) => Math.min(millis, b.devices[at] as number)),
    loads: a.loads.map((load, at) => Math.max(load, b.loads[at] as number)),
    // Somebody is expected here, so nobody can have the node alone.
    attempts: Math.max(a.attempts, b.attempts, 1),
  };
}

/** A place that was found, and the queue in which it may be had. */
export interface Seat {
  readonly queue: Queue;
  readonly placement: Placement;
}

/** Gives the place to the job, for the rest of this pass. */
export function give(
  pass: Pass,
  job: Job,
  index: number | null,
  { placement: found, queue: { name: queue } }: Seat,
): void {
  const until = endsBy(pass, job.spec);
  const nodes = found.nodes.map((share) => withCpuIds(pass, share));
  for (const share of nodes) {
    const node = pass.state.nodes.get(share.node) as Node;
    subtract(pass.free.get(share.node) as Free, node, share);
    for (const { startAt, spare } of pass.reservations) {
      const left = spare.get(share.node);
      if (left !== undefined && (until > startAt || until === Number.POSITIVE_INFINITY))
        subtract(left, node, share);
    }
  }
  pass.running.add(job.spec, queue, found);
  noteLearner(pass, job, { nodes });
  pass.starts.push({ job: job.id, index, placement: { nodes }, queue, endsBy: until });
}

function noteLearner({ learners, wishes }: Pass, { id, spec }: Job, placement: Placement): void {
  const pages = pagesLearnt(spec, placement);
  for (const page of pages) addTo(learners, page, id);
  if (pages.length > 0) wishes.clear();
}

function withCpuIds(pass: Pass, share: NodeShare): NodeShare {
  const node = pass.state.nodes.get(share.node) as Node;
  const taken = takenCpuIdsOn(pass, share.node);
  const cpuIds = chooseCpuIds(node, taken, share.cpus, pass.lentCpuIds.get(share.node));
  for (const id of cpuIds) taken.add(id);
  return { ...share, cpuIds };
}

export function takenCpuIdsOn(pass: Pass, node: NodeName): Set<number> {
  let taken = pass.takenCpuIds.get(node);
  if (taken === undefined) {
    taken = new Set(pass.state.ledgers.get(node)?.takenCpuIds);
    pass.takenCpuIds.set(node, taken);
  }
  return taken;
}

export interface RunningInPass extends Running {
  add(spec: JobSpec, queue: QueueName, placement: Placement): void;
  /** Elements of an array, running and started in this pass. */
  ofArray(array: JobId): number;
  addElement(array: JobId): void;
}

type Given = Pick<Tally, 'cpus' | 'gpuMillis'>;

function runningInPass(state: YardState): RunningInPass {
  const now = runningNow(state.tallies);
  const added = new Map<string, Tally>();
  const ranks = new Map<string, number>();
  const elements = new Map<JobId, number>();
  const plus = (base: Tally, key: string): Tally => {
    const more = added.get(key);
    if (more === undefined) return base;
    return {
      ...base,
      running: base.running + more.running,
      cpus: base.cpus + more.cpus,
      gpuMillis: base.gpuMillis + more.gpuMillis,
    };
  };
  const bump = (key: string, { cpus, gpuMillis }: Given) => {
    const before = added.get(key) ?? { running: 0, cpus: 0, gpuMillis: 0, weight: 0, weightedStart: 0 };
    added.set(key, {
      ...before,
      running: before.running + 1,
      cpus: before.cpus + cpus,
      gpuMillis: before.gpuMillis + gpuMillis,
    });
  };
  return {
    byUser: (user) => plus(now.byUser(user), `u ${user}`),
    byQueue: (queue) => plus(now.byQueue(queue), `q ${queue}`),
    byQueueUser: (queue, user) => plus(now.byQueueUser(queue, user), `b ${queueUser(queue, user)}`),
    byQosUser: (qos, user) => plus(now.byQosUser(qos, user), `s ${qosUser(qos, user)}`),
    ranksOf: (layout) => now.ranksOf(layout) + (ranks.get(layout) ?? 0),
    add({ user, qos, resources: { layout } }, queue, placement) {
      const given = { cpus: cpusOf(placement), gpuMillis: gpuMillisOf(placement) };
      bump(`u ${user}`, given);
      bump(`q ${queue}`, given);
      bump(`b ${queueUser(queue, user)}`, given);
      bump(`s ${qosUser(qos, user)}`, given);
      if (layout !== undefined) ranks.set(layout, (ranks.get(layout) ?? 0) + ranksOf(placement));
    },
    ofArray: (array) => (state.liveElements.get(array) ?? 0) + (elements.get(array) ?? 0),
    addElement: (array) => elements.set(array, (elements.get(array) ?? 0) + 1),
  };
}
