/** Whether what a job waits for has happened, may still happen, or never will. */

import type { JobId } from '../model/ids.ts';
import type { Job, Outcome } from '../model/job.ts';
import type { DependencyTerm } from '../model/job-spec.ts';
import { hasIndex } from '../model/ranges.ts';
import { namesakeKey, type YardState } from './state.ts';

export type Standing = 'met' | 'unmet' | 'never';

/** For the whole job; or, given an index, for one element of an array. */
export function dependencyStanding(state: YardState, job: Job, index: number | null): Standing {
  const { dependencies } = job.spec;
  if (dependencies === null || dependencies.terms.length === 0) return 'met';
  const standings = dependencies.terms.map((term) =>
    termStanding(state, job, term, index ?? job.element?.index ?? null),
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
): Standing {
  if (term.kind === 'singleton') return isFirstOfItsName(state, job) ? 'met' : 'unmet';
  const target = state.jobs.get(term.job);
  // Its record was purged long ago: it ended, and how is no longer known.
  if (target === undefined) return term.kind === 'afterany' || term.kind === 'after' ? 'met' : 'never';
  const wanted = term.index ?? (term.kind === 'aftercorr' && target.array !== null ? index : null);
  if (term.kind === 'aftercorr' && target.array !== null && wanted === null) return 'unmet';
  if (wanted === null || target.array === null) return standingOf(term.kind, progressOf(target));
  return standingOf(term.kind, elementProgress(state, target, wanted));
}

/** Terms that pair the elements of two arrays one by one. */
export function isPairwise(state: YardState, job: Job): boolean {
  if (job.array === null) return false;
  return (job.spec.dependencies?.terms ?? []).some(
    (term) => term.kind === 'aftercorr' && term.index === null && isArray(state, term.job),
  );
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
  const own = job.element?.array ?? job.id;
  for (const id of state.namesakes.get(namesakeKey(job)) ?? []) {
    const other = state.jobs.get(id);
    if (other !== undefined && (other.element?.array ?? other.id) < own) return false;
  }
  return true;
}

function isArray(state: YardState, id: JobId): boolean {
  return state.jobs.get(id)?.array != null;
}
