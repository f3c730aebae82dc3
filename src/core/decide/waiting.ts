/** Jobs that wait for others or for a time: what follows when one of those happens. */

import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import { hasIndex, indicesOf } from '../../model/ranges.ts';
import { enter } from '../agenda.ts';
import { delayedUntil, dependencyStanding, isPaired, isPairwise } from '../dependencies.ts';
import { jobOf, namesakeKey } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { endJob } from './ending.ts';
import { split } from './find.ts';

/** Looks again at a waiting job, perhaps because of another one: it may go, it never will, or it waits on. */
export function settleWaiting(turn: Turn, id: JobId, because: Job | null = null): void {
  const job = jobOf(turn.state, id);
  if (job.phase !== 'waiting') return;
  if (isPairwise(turn.state, job)) return settlePairs(turn, job, pairsOf(job, because));
  const standing = dependencyStanding(turn.state, job, null, turn.now);
  if (standing === 'never') return endJob(turn, id, 'dependencyFailed', DEPENDENCY_FAILED, null);
  if (standing === 'unmet') remindOfDelays(turn, job);
  if (standing === 'met' && timeHasCome(turn, job)) record(turn, { type: 'jobPending', job: id });
}

/** What it depends on has begun, and the delay after that is not over yet. */
function remindOfDelays({ state, now }: Turn, { id, spec }: Job): void {
  for (const term of spec.dependencies?.terms ?? []) {
    const at = delayedUntil(state, term);
    if (at !== null && at > now) enter(state.agenda, id, at);
  }
}

/** Two arrays element by element: each goes as soon as its counterpart allows. */
function settlePairs(turn: Turn, array: Job, indices: Iterable<number>): void {
  if (!timeHasCome(turn, array)) return;
  remindOfDelays(turn, array);
  for (const index of indices) {
    const standing = dependencyStanding(turn.state, array, index, turn.now);
    if (standing === 'unmet') continue;
    const element = split(turn, array.id, index);
    if (standing === 'met') record(turn, { type: 'jobPending', job: element.id });
    else endJob(turn, element.id, 'dependencyFailed', DEPENDENCY_FAILED, null);
  }
}

/** The elements for which another job may have made a difference: mostly the one counterpart. */
function pairsOf(array: Job, because: Job | null): Iterable<number> {
  const unstarted = array.array?.unstarted ?? [];
  const other = because?.element ?? null;
  if (because === null || other === null || !isOnlyPaired(array, because)) return indicesOf(unstarted);
  return hasIndex(unstarted, other.index) ? [other.index] : [];
}

function isOnlyPaired({ spec }: Job, { id, element }: Job): boolean {
  return (spec.dependencies?.terms ?? []).every((term) => {
    if (term.kind === 'singleton') return true;
    if (term.job === element?.array) return isPaired(term) && term.index === null;
    return term.job !== id;
  });
}

const DEPENDENCY_FAILED = 'what it depended on can no longer happen';

/**
 * Looks again at those that wait for what began or ended in this turn, and at those that wait for them. One
 * after another rather than one within the other, since chains of dependent jobs can be thousands long.
 */
export function tellDependents(turn: Turn): void {
  for (const job of turn.news) wakeDependents(turn, job);
  turn.news.length = 0;
}

function wakeDependents(turn: Turn, job: Job): void {
  const ids = new Set<JobId>(turn.state.dependents.get(job.id));
  if (job.element !== null) for (const id of turn.state.dependents.get(job.element.array) ?? []) ids.add(id);
  for (const id of ids) settleWaiting(turn, id, job);
  if (job.phase === 'ended') wakeSingletons(turn, namesakeKey(job));
}

/** A name has one bearer less. */
export function wakeSingletons(turn: Turn, key: string): void {
  for (const id of [...(turn.state.singletons.get(key) ?? [])]) settleWaiting(turn, id);
}

function timeHasCome({ state, now }: Turn, { id, spec }: Job): boolean {
  if (spec.beginAt === null || spec.beginAt <= now) return true;
  // It may have passed once already, before the clock was set back.
  enter(state.agenda, id, spec.beginAt);
  return false;
}
