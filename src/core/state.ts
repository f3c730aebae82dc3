/**
 * The yard's memory: jobs and nodes, and the indexes derived from them. Only `apply` changes it, through
 * `putJob` and `putNode`, which keep every index true; nothing here decides anything.
 */

import type { Footprint } from '../model/footprint.ts';
import type { AttemptId, JobId, NodeName, QueueName } from '../model/ids.ts';
import {
  type Attempt,
  hasLentCpus,
  holdsResources,
  isLive,
  isUnderWay,
  type Job,
  type JobPhase,
} from '../model/job.ts';
import type { JobSpec } from '../model/job-spec.ts';
import type { Node } from '../model/node.ts';
import { PLAIN_QUEUE_STATE } from '../model/plain.ts';
import type { QueueState } from '../model/policy.ts';
import { countOf } from '../model/ranges.ts';
import { invariant } from '../model/refusal.ts';
import type { Step } from '../model/step.ts';
import { type Agenda, enter, newAgenda, strike } from './agenda.ts';
import { type Backlog, dequeue, enqueue, groupKey, newBacklog } from './backlog.ts';
import { dueAt } from './due.ts';
import { pagesLearnt } from './footprints/book.ts';
import { giveUp, hold, holdsTheSame, ledgerOf } from './holding.ts';
import { addTo, bump, removeFrom } from './job-sets.ts';
import type { Ledger } from './ledger.ts';
import { heldPlace } from './places.ts';
import { countUnended, newTallies, type Tallies } from './tally.ts';

export interface YardState {
  nextJobId: number;
  /** Every job that has not ended, and ended ones that somebody may still ask about. */
  readonly jobs: Map<JobId, Job>;
  readonly nodes: Map<NodeName, Node>;
  readonly usage: Map<string, Usage>;
  /** What was decided about queues; one that is not here is as the config says. */
  readonly queues: Map<QueueName, QueueState>;

  readonly ledgers: Map<NodeName, Ledger>;
  readonly backlog: Backlog;
  readonly agenda: Agenda;
  readonly tallies: Tallies;
  readonly counts: Record<JobPhase, number>;
  /** Jobs with a live attempt. */
  readonly live: Set<JobId>;
  /** Those of them that have lent their CPUs and are to have them back. */
  readonly lenders: Set<JobId>;
  /** Job → the waiting jobs that depend on it. */
  readonly dependents: Map<JobId, Set<JobId>>;
  /** user and name → jobs not ended, for singletons. */
  readonly namesakes: Map<string, Set<JobId>>;
  /** user and name → the waiting jobs that want to be the only one of that name. */
  readonly singletons: Map<string, Set<JobId>>;
  /** Array → index → the element's own job. */
  readonly elements: Map<JobId, Map<number, JobId>>;
  /** Array → how many of its elements have an attempt under way, for the throttle. */
  readonly liveElements: Map<JobId, number>;
  /** Where checkpoints last → the job that has the place, until all that it left is safe. */
  readonly places: Map<string, Set<JobId>>;

  /** What kinds of jobs use of models of device, by both. */
  readonly footprints: Map<string, Footprint>;
  /** The same → the jobs that are the first of their kind there and show it now. */
  readonly learners: Map<string, Set<JobId>>;

  /** Attempt → its steps that have not ended. */
  readonly steps: Map<AttemptId, Map<number, Step>>;

  /** What changed since the last commit. */
  readonly touched: Touched;
}

export interface Usage {
  readonly amount: number;
  readonly at: number;
}

export interface Touched {
  readonly jobs: Set<JobId>;
  /** A job may end one attempt and begin the next between two commits: both are in here. */
  readonly attempts: Map<AttemptId, { readonly job: JobId; readonly attempt: Attempt }>;
  /** By attempt and number. */
  readonly steps: Map<string, { readonly job: JobId; readonly step: Step }>;
  readonly nodes: Set<NodeName>;
  readonly goneNodes: Set<NodeName>;
  readonly users: Set<string>;
  readonly queues: Set<QueueName>;
  /** Written or forgotten. */
  readonly footprints: Set<string>;
}

export function newState(): YardState {
  return {
    nextJobId: 1,
    jobs: new Map(),
    nodes: new Map(),
    usage: new Map(),
    queues: new Map(),
    ledgers: new Map(),
    backlog: newBacklog(),
    agenda: newAgenda(),
    tallies: newTallies(),
    counts: { held: 0, waiting: 0, pending: 0, active: 0, ended: 0 },
    live: new Set(),
    lenders: new Set(),
    dependents: new Map(),
    namesakes: new Map(),
    singletons: new Map(),
    elements: new Map(),
    liveElements: new Map(),
    places: new Map(),
    footprints: new Map(),
    learners: new Map(),
    steps: new Map(),
    touched: {
      jobs: new Set(),
      attempts: new Map(),
      steps: new Map(),
      nodes: new Set(),
      goneNodes: new Set(),
      users: new Set(),
      queues: new Set(),
      footprints: new Set(),
    },
  };
}

export function jobOf(state: YardState, id: JobId): Job {
  const job = state.jobs.get(id);
  invariant(job !== undefined, `job ${id} is not in memory`);
  return job;
}

/** Enters a job or its next version, and brings every index up to date. */
export function putJob(state: YardState, job: Job): void {
  const before = state.jobs.get(job.id) ?? null;
  if (before !== null) unindex(state, before, job);
  state.jobs.set(job.id, job);
  index(state, before, job);
  state.touched.jobs.add(job.id);
  const { attempt } = job;
  if (attempt !== null && attempt !== before?.attempt)
    state.touched.attempts.set(attempt.id, { job: job.id, attempt });
}

/** Takes a job out of memory; it stays in the store. */
export function dropJob(state: YardState, id: JobId): void {
  const job = jobOf(state, id);
  invariant(job.phase === 'ended', `job ${id} has not ended`);
  unindex(state, job, null);
  state.jobs.delete(id);
  if (job.element !== null) {
    const siblings = state.elements.get(job.element.array);
    siblings?.delete(job.element.index);
    if (siblings?.size === 0) state.elements.delete(job.element.array);
  }
}

/** Puts a job that comes from the store into memory, unchanged. */
export function admitJob(state: YardState, job: Job): void {
  if (state.jobs.has(job.id)) return;
  putJob(state, job);
  state.touched.jobs.delete(job.id);
  if (job.attempt !== null) state.touched.attempts.delete(job.attempt.id);
}

/** Enters a step or its next version; one that has ended leaves memory and stays in the store. */
export function putStep(state: YardState, job: JobId, step: Step): void {
  const steps = state.steps.get(step.attempt) ?? new Map<number, Step>();
  if (step.endedAt === null) {
    state.steps.set(step.attempt, steps.set(step.n, step));
    // Something is owed to the job's attempt now.
    state.touched.jobs.add(job);
  } else {
    steps.delete(step.n);
    if (steps.size === 0) state.steps.delete(step.attempt);
  }
  state.touched.steps.set(`${step.attempt}/${step.n}`, { job, step });
}

/** The steps of an attempt that have not ended. */
export function liveSteps(state: YardState, attempt: AttemptId): Iterable<Step> {
  return state.steps.get(attempt)?.values() ?? [];
}

export function putNode(state: YardState, node: Node): void {
  state.nodes.set(node.name, node);
  state.touched.nodes.add(node.name);
  state.touched.goneNodes.delete(node.name);
  // It may have changed its size: what is taken on it is counted again. Rare.
  state.ledgers.set(node.name, ledgerOf(state, node));
}

export function dropNode(state: YardState, name: NodeName): void {
  state.nodes.delete(name);
  state.ledgers.delete(name);
  state.touched.nodes.delete(name);
  state.touched.goneNodes.add(name);
}

export function queueState(state: YardState, name: QueueName): QueueState {
  return state.queues.get(name) ?? PLAIN_QUEUE_STATE;
}

export function putQueue(state: YardState, name: QueueName, queue: QueueState): void {
  state.queues.set(name, queue);
  state.touched.queues.add(name);
}

function unindex(state: YardState, before: Job, after: Job | null): void {
  state.counts[before.phase] -= 1;
  const keepsPlace =
    after !== null &&
    inBacklog(before) &&
    inBacklog(after) &&
    before.eligibleAt === after.eligibleAt &&
    groupKey(before.spec) === groupKey(after.spec);
  if (inBacklog(before) && !keepsPlace) dequeue(state.backlog, before);
  if (isLive(before.attempt)) {
    state.live.delete(before.id);
    state.lenders.delete(before.id);
    const place = heldPlace(before);
    if (place !== null) removeFrom(state.places, place, before.id);
  }
  if (before.element !== null && isUnderWay(before.attempt))
    bump(state.liveElements, before.element.array, -1);
  if (holdsResources(before.attempt)) {
    if (!holdsTheSame(before, after)) giveUp(state, before);
    for (const page of pagesLearnt(before.spec, before.attempt.placement))
      removeFrom(state.learners, page, before.id);
  }
  const unended = unendedCount(before);
  if (unended !== 0) countUnended(state.tallies, before, -unended);
  if (before.phase !== 'ended') removeFrom(state.namesakes, namesakeKey(before), before.id);
  if (before.phase === 'waiting' || before.phase === 'held') {
    for (const target of dependencyTargets(before)) removeFrom(state.dependents, target, before.id);
    if (isSingleton(before)) removeFrom(state.singletons, namesakeKey(before), before.id);
  }
}

function index(state: YardState, before: Job | null, job: Job): void {
  state.counts[job.phase] += 1;
  if (inBacklog(job)) enqueue(state.backlog, job);
  if (isLive(job.attempt)) {
    state.live.add(job.id);
    const place = heldPlace(job);
    if (place !== null) addTo(state.places, place, job.id);
  }
  if (isUnderWay(job.attempt)) {
    if (holdsResources(job.attempt) && hasLentCpus(job.attempt) && job.attempt.stop === null)
      state.lenders.add(job.id);
    if (job.element !== null) bump(state.liveElements, job.element.array, 1);
  }
  if (holdsResources(job.attempt)) {
    if (!holdsTheSame(before, job)) hold(state, job);
    for (const page of pagesLearnt(job.spec, job.attempt.placement)) addTo(state.learners, page, job.id);
  }
  const unended = unendedCount(job);
  if (unended !== 0) countUnended(state.tallies, job, unended);
  if (job.phase !== 'ended') addTo(state.namesakes, namesakeKey(job), job.id);
  if (job.phase === 'waiting' || job.phase === 'held') {
    for (const target of dependencyTargets(job)) addTo(state.dependents, target, job.id);
    if (isSingleton(job)) addTo(state.singletons, namesakeKey(job), job.id);
  }
  if (job.element !== null) {
    const siblings = state.elements.get(job.element.array) ?? new Map<number, JobId>();
    state.elements.set(job.element.array, siblings.set(job.element.index, job.id));
  }
  const due = dueAt(job);
  if (due !== null) enter(state.agenda, job.id, due);
  // One that waits may have been entered for a delay after another job, which only that job knows.
  else if (job.phase !== 'waiting') strike(state.agenda, job.id);
}

/** Pending, with something left to start. */
function inBacklog(job: Job): boolean {
  return job.phase === 'pending' && (job.array === null || job.array.unstarted.length > 0);
}

function unendedCount(job: Job): number {
  if (job.phase === 'ended') return 0;
  return job.array === null ? 1 : countOf(job.array.unstarted);
}

const namesakeKeys = new WeakMap<JobSpec, string>();

export function namesakeKey({ spec }: Job): string {
  let key = namesakeKeys.get(spec);
  if (key === undefined) {
    key = JSON.stringify([spec.user, spec.name]);
    namesakeKeys.set(spec, key);
  }
  return key;
}

function isSingleton({ spec }: Job): boolean {
  return spec.dependencies?.terms.some(({ kind }) => kind === 'singleton') ?? false;
}

function dependencyTargets(job: Job): readonly JobId[] {
  const terms = job.spec.dependencies?.terms ?? [];
  return terms.flatMap((term) => (term.kind === 'singleton' ? [] : [term.job]));
}
