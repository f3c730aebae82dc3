/**
 * Between the yard's memory and the store: what one turn changed as a batch, the state as the store has it,
 * and which ended jobs must be in memory for a command to be decided. Knows the shapes on both sides and
 * decides nothing.
 */

import { enter } from '../core/agenda.ts';
import { isPaired } from '../core/dependencies.ts';
import { putFootprint } from '../core/footprints/book.ts';
import { admitJob, dropJob, newState, putNode, putQueue, putStep, type YardState } from '../core/state.ts';
import type { Command } from '../model/command.ts';
import type { Event } from '../model/event.ts';
import { type JobId, type JobRef, jobOfAttempt } from '../model/ids.ts';
import type { Job } from '../model/job.ts';
import type { Dependencies } from '../model/job-spec.ts';
import type { Batch, Blob, Remembered, Store } from './store.ts';

/** Where jobs are found that are no longer in memory. */
export type Past = Pick<Store, 'job' | 'element' | 'elements'>;

export function batchOf(
  { jobs, nodes, usage, queues, footprints, touched, nextJobId }: YardState,
  events: readonly Event[],
  firstSeq: number,
  blobs: readonly Blob[],
): Batch {
  return {
    events: events.map((event, at) => ({ seq: firstSeq + at, event })),
    jobs: present(touched.jobs, jobs),
    attempts: [...touched.attempts.values()],
    steps: [...touched.steps.values()],
    nodes: present(touched.nodes, nodes),
    goneNodes: [...touched.goneNodes],
    usage: [...touched.users].flatMap((user) => {
      const used = usage.get(user);
      return used === undefined ? [] : [{ user, amount: used.amount, at: used.at }];
    }),
    queues: [...touched.queues].flatMap((name) => {
      const state = queues.get(name);
      return state === undefined ? [] : [{ name, state }];
    }),
    footprints: present(touched.footprints, footprints),
    goneFootprints: [...touched.footprints].filter((page) => !footprints.has(page)),
    blobs,
    nextJobId,
  };
}

function present<K, V>(keys: Iterable<K>, map: ReadonlyMap<K, V>): V[] {
  const values: V[] = [];
  for (const key of keys) {
    const value = map.get(key);
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** What was touched is durable now. */
export function clearTouched({ touched }: YardState): void {
  touched.jobs.clear();
  touched.attempts.clear();
  touched.steps.clear();
  touched.nodes.clear();
  touched.goneNodes.clear();
  touched.users.clear();
  touched.queues.clear();
  touched.footprints.clear();
}

/** The state to go on from: all that has not ended, and the ended jobs that those still depend on. */
export function stateOf(remembered: Remembered, past: Past): YardState {
  const state = newState();
  state.nextJobId = remembered.nextJobId;
  for (const node of remembered.nodes) putNode(state, node);
  for (const { user, amount, at } of remembered.usage) state.usage.set(user, { amount, at });
  for (const { name, state: decided } of remembered.queues) putQueue(state, name, decided);
  for (const footprint of remembered.footprints) putFootprint(state, footprint);
  for (const job of remembered.jobs) admitJob(state, job);
  for (const { job, step } of remembered.steps) putStep(state, job, step);
  const recalling = { state, past, recalled: [] };
  for (const job of remembered.jobs) {
    if (job.phase === 'waiting' || job.phase === 'held') recallTargets(recalling, job.spec.dependencies);
    // When that is over follows from how the other job is doing: to be looked at in the first turn.
    if (job.phase === 'waiting' && hasDelay(job.spec.dependencies)) enter(state.agenda, job.id, 0);
  }
  clearTouched(state);
  return state;
}

function hasDelay(dependencies: Dependencies | null): boolean {
  return dependencies?.terms.some((term) => 'delayMs' in term) ?? false;
}

/** Before a command is decided: the ended jobs that it is about come back into memory. Gives their ids. */
export function recall(state: YardState, past: Past, command: Command): readonly JobId[] {
  const recalling: Recalling = { state, past, recalled: [] };
  switch (command.type) {
    case 'submit':
      recallTargets(recalling, command.spec.dependencies);
      break;
    case 'cancel':
    case 'hold':
    case 'release':
    case 'requeue':
    case 'signal':
    case 'suspend':
    case 'resume':
    case 'startStep':
    case 'stopStep':
      recallJob(recalling, command.target);
      break;
    case 'checkpointKept':
    case 'checkpointTrouble':
      recallJob(recalling, { job: jobOfAttempt(command.attempt), index: null });
      break;
    case 'update':
      recallJob(recalling, command.target);
      recallTargets(recalling, command.changes.dependencies ?? null);
      break;
  }
  return recalling.recalled;
}

interface Recalling {
  readonly state: YardState;
  readonly past: Past;
  readonly recalled: JobId[];
}

function recallJob(recalling: Recalling, { job: id, index }: JobRef): void {
  const job = recallOne(recalling, id);
  if (job === null) return;
  // An element that is revived counts in its array again.
  if (job.element !== null) recallOne(recalling, job.element.array);
  if (job.array !== null) recallElements(recalling, id, index);
  // Released, it is asked again whether what it depends on has happened.
  recallTargets(recalling, job.spec.dependencies);
}

function recallTargets(recalling: Recalling, dependencies: Dependencies | null): void {
  for (const term of dependencies?.terms ?? []) {
    if (term.kind === 'singleton') continue;
    const target = recallOne(recalling, term.job);
    // How the whole went is on the record of the array; only a term about elements needs theirs.
    const ofElements = term.index !== null || isPaired(term) || term.delayMs !== undefined;
    if (target?.array != null && ofElements) recallElements(recalling, target.id, term.index);
  }
}

function recallElements(recalling: Recalling, array: JobId, index: number | null): void {
  const { past } = recalling;
  if (index === null)
    for (const element of past.elements(array, Number.POSITIVE_INFINITY)) bringBack(recalling, element);
  else bringBack(recalling, past.element(array, index));
}

function recallOne(recalling: Recalling, id: JobId): Job | null {
  const known = recalling.state.jobs.get(id);
  if (known !== undefined) return known;
  const job = recalling.past.job(id);
  bringBack(recalling, job);
  return job;
}

function bringBack({ state, recalled }: Recalling, job: Job | null): void {
  if (job === null || state.jobs.has(job.id)) return;
  admitJob(state, job);
  recalled.push(job.id);
}

/**
 * After a commit: of these jobs and of those that they depended on, the ended ones that nobody in memory asks
 * about leave it. Gives their ids.
 */
export function forgetEnded(state: YardState, ids: Iterable<JobId>): readonly JobId[] {
  const forgotten: JobId[] = [];
  const forget = (id: JobId) => {
    const job = state.jobs.get(id);
    if (job === undefined || job.phase !== 'ended' || isAskedAbout(state, job)) return;
    dropJob(state, id);
    forgotten.push(id);
  };
  for (const id of ids) {
    const terms = state.jobs.get(id)?.spec.dependencies?.terms ?? [];
    forget(id);
    for (const term of terms) {
      if (term.kind !== 'singleton' && !state.dependents.has(term.job))
        familyOf(state, term.job).forEach(forget);
    }
  }
  return forgotten;
}

function familyOf({ elements }: YardState, id: JobId): JobId[] {
  return [id, ...(elements.get(id)?.values() ?? [])];
}

function isAskedAbout({ dependents }: YardState, { id, element }: Job): boolean {
  return dependents.has(id) || (element !== null && dependents.has(element.array));
}
