/** Whether what a job waits for has happened, may still happen, or never will. */

import type { JobId } from '../model/ids.ts';
import type { Job, Outcome } from '../model/job.ts';
import type { DependencyTerm } from '../model/job-spec.ts';
import { hasIndex } from '../model/ranges.ts';
import { namesakeKey, type YardState } from './state.ts';

export type Standing = 'met' | 'unmet' | 'never';

/** For the whole job; or, given an index, for one element of an array. */
export function dependencyStanding(state: YardState, job: Job, index: number | null, now: number): Standing {
  const { dependencies } = job.spec;
  if (dependencies === null || dependencies.terms.length === 0) return 'met';
  const standings = dependencies.terms.map((term) =>
    termStanding(state, job, term, index ?? job.element?.index ?? null, now),
  );
  if (dependencies.need === 'any') {
    if (standings.includes('met')) return 'met';
    return standings.every((standing) => standing === 'never') ? 'never' : 'unmet';
  }
  if (standings.includes('never')) return 'never';
  return standings.every((standing) => standing === 'met') ? 'met' : 'unmet';
}

export function termStanding(
  state: YardState,
  job: Job,
  term: DependencyTerm,
  index: number | null,
  now: number,
): Standing {
  if (term.kind === 'singleton') return isFirstOfItsName(state, job) ? 'met' : 'unmet';
  const target = state.jobs.get(term.job);
  // Its record was purged long ago: it ended, and how is no longer known.
  if (target === undefined) return HOWEVER_IT_ENDED.has(term.kind) ? 'met' : 'never';
  const wanted = term.index ?? (isPaired(term) && target.array !== null ? index : null);
  // Of two arrays each element has its own answer. A plain job has no counterpart: it waits for the whole.
  if (isPaired(term) && target.array !== null && wanted === null && job.array !== null) return 'unmet';
  const standing = standingOf(
    term.kind,
    wanted === null || target.array === null ? progressOf(target) : elementProgress(state, target, wanted),
  );
  if (standing !== 'met') return standing;
  const at = delayedUntil(state, term);
  return at === null || at <= now ? 'met' : 'unmet';
}

/** When a delay after the beginning of another job is over; null where there is none, or it has not begun. */
export function delayedUntil(state: YardState, term: DependencyTerm): number | null {
  if (term.kind !== 'after' || term.delayMs === undefined) return null;
  const target = state.jobs.get(term.job);
  if (target === undefined) return null;
  const elements = state.elements.get(target.id);
  const meant =
    term.index === null ? (elements?.values() ?? [target.id]) : [elements?.get(term.index) ?? target.id];
  let last: number | null = null;
  for (const id of meant) {
    const at = begunAt(state.jobs.get(id));
    if (at !== null && (last === null || at > last)) last = at;
  }
  return last === null ? null : last + term.delayMs;
}

/** One that ended without ever having begun counts from then. */
function begunAt(job: Job | undefined): number | null {
  return job?.attempt?.startedAt ?? job?.attempt?.assignedAt ?? job?.endedAt ?? null;
}

const HOWEVER_IT_ENDED: ReadonlySet<DependencyTerm['kind']> = new Set(['after', 'afterany', 'aftercorrany']);

/** A term that pairs the elements of two arrays one by one. */
export function isPaired(
  term: DependencyTerm,
): term is Extract<DependencyTerm, { readonly job: JobId }> & { kind: 'aftercorr' | 'aftercorrany' } {
  return term.kind === 'aftercorr' || term.kind === 'aftercorrany';
}

/** Whether its elements go one by one, each with its counterpart. */
export function isPairwise(state: YardState, job: Job): boolean {
  if (job.array === null) return false;
  return (job.spec.dependencies?.terms ?? []).some(
    (term) => isPaired(term) && term.index === null && isArray(state, term.job),
  );
}

/** The job that stands for it where others depend on it: the array, for an element. */
export function familyOf(job: Job): JobId {
  return job.element?.array ?? job.id;
}

/** Whether a job waits for another one, directly or through those between them. */
export function waitsFor(state: YardState, job: Job, family: JobId): boolean {
  const seen = new Set<JobId>();
  const ahead: Job[] = [job];
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    if (next.phase !== 'waiting' && next.phase !== 'held') continue;
    for (const id of targetsOf(state, next)) {
      const target = state.jobs.get(id);
      if (target === undefined || seen.has(id)) continue;
      if (familyOf(target) === family) return true;
      seen.add(target.id);
      ahead.push(target);
    }
  }
  return false;
}

/** Whom it waits for: those it names, and as a singleton those that bear its name and came before it. */
function targetsOf(state: YardState, job: Job): JobId[] {
  const terms = job.spec.dependencies?.terms ?? [];
  return terms.flatMap((term) => (term.kind === 'singleton' ? [...namesakesBefore(state, job)] : [term.job]));
}

interface Progress {
  readonly begun: boolean;
  readonly outcome: Outcome | null;
}

function standingOf(
  kind: Exclude<DependencyTerm['kind'], 'singleton'>,
  { begun, outcome }: Progress,
): Standing {
  switch (kind) {
    case 'after':
      return begun || outcome !== null ? 'met' : 'unmet';
    case 'afterany':
    case 'aftercorrany':
      return outcome !== null ? 'met' : 'unmet';
    case 'afterok':
    case 'aftercorr':
      return outcome === null ? 'unmet' : outcome === 'completed' ? 'met' : 'never';
    case 'afternotok':
      return outcome === null ? 'unmet' : outcome === 'completed' ? 'never' : 'met';
  }
}

function progressOf(target: Job): Progress {
  const begun = target.array === null ? target.attempt !== null : target.array.unstarted.length === 0;
  return { begun, outcome: target.outcome };
}

function elementProgress(state: YardState, array: Job, index: number): Progress {
  const id = state.elements.get(array.id)?.get(index);
  const element = id === undefined ? undefined : state.jobs.get(id);
  if (element !== undefined) return progressOf(element);
  if (array.array !== null && hasIndex(array.array.unstarted, index)) return { begun: false, outcome: null };
  // Dropped with its array, or never existed: it will not complete any more.
  return { begun: true, outcome: 'cancelled' };
}

function isFirstOfItsName(state: YardState, job: Job): boolean {
  return namesakesBefore(state, job).next().done === true;
}

function* namesakesBefore(state: YardState, job: Job): Generator<JobId> {
  const own = familyOf(job);
  for (const id of state.namesakes.get(namesakeKey(job)) ?? []) {
    const other = state.jobs.get(id);
    if (other !== undefined && familyOf(other) < own) yield id;
  }
}

function isArray(state: YardState, id: JobId): boolean {
  return state.jobs.get(id)?.array != null;
}
