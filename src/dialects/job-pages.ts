/**
 * Lists of jobs of any length, asked for in parts: others are served between two of them, and only one part is held
 * at a time. Where an order is wanted that the yard does not have, short keys are held instead of jobs, and the jobs
 * are asked for again by number.
 */

import type { JobId } from '../model/ids.ts';
import {
  ANY_JOB,
  type Answer,
  type JobFilter,
  type JobPageAsk,
  type JobRecord,
  type JobView,
} from '../model/query.ts';
import { type Asking, pause, query } from './program.ts';

/** As many as are worth asking for at once. */
export const PART = 40;

export type JobList = Omit<JobPageAsk, 'after'> & { readonly after?: JobPageAsk['after'] };

/** Whoever looks at a part may have seen enough, and may have something to ask meanwhile. */
export type Visit<T> = (part: readonly T[]) => Asking<Verdict> | Verdict;
type Verdict = 'enough' | undefined;

function* verdictOn<T>(part: readonly T[], visit: Visit<T>): Asking<Verdict> {
  if (part.length === 0) return undefined;
  const looked = visit(part);
  return typeof looked === 'object' ? yield* looked : looked;
}

export function* eachPage(list: JobList, visit: Visit<JobRecord>): Asking<void> {
  let after = list.after ?? null;
  do {
    yield* pause();
    const { records, next } = yield* query('jobPage', { ...list, after });
    if ((yield* verdictOn(records, visit)) === 'enough') return;
    after = next;
  } while (after !== null);
}

/** Those of these jobs that are known and pass the filter, in this order. */
export function* eachOfThese(
  ids: readonly JobId[],
  visit: Visit<JobRecord>,
  filter: JobFilter = ANY_JOB,
): Asking<void> {
  for (let at = 0; at < ids.length; at += PART) {
    yield* pause();
    const records = yield* query('records', { jobs: ids.slice(at, at + PART), filter });
    if ((yield* verdictOn(records, visit)) === 'enough') return;
  }
}

/** Jobs that have not ended. */
export function* eachLive(filter: JobFilter, visit: Visit<JobView>): Asking<void> {
  const ids = yield* query('liveJobs', {});
  const phases = filter.phases ?? LIVE;
  for (let at = 0; at < ids.length; at += PART) {
    yield* pause();
    const refs = ids.slice(at, at + PART).map((job) => ({ job, index: null }));
    const views = yield* query('jobs', { ...filter, refs, phases, limit: PART });
    if ((yield* verdictOn(views, visit)) === 'enough') return;
  }
}

const LIVE = ['held', 'waiting', 'pending', 'active'] as const;

/** All of them at once, for those who need them together. */
export function* liveJobs(filter: JobFilter): Asking<JobView[]> {
  const found: JobView[] = [];
  yield* eachLive(filter, (views) => {
    for (const view of views) found.push(view);
    return undefined;
  });
  return found;
}

/** Of those that run, with their runs and steps; by number. */
export function* activeRecords(): Asking<JobRecord[]> {
  const found: JobRecord[] = [];
  const filter: JobFilter = { ...ANY_JOB, phases: ['active'] };
  yield* eachPage({ filter, order: { by: 'newest' } }, (records) => {
    for (const record of records) found.push(record);
    return undefined;
  });
  return found.reverse();
}

/** Of jobs that wait for their turn. */
export function* waitingPriorities(): Asking<Answer<'priorities'>[number][]> {
  const found: Answer<'priorities'>[number][] = [];
  const ids = yield* query('liveJobs', {});
  for (let at = 0; at < ids.length; at += PART) {
    yield* pause();
    const refs = ids.slice(at, at + PART).map((job) => ({ job, index: null }));
    for (const one of yield* query('priorities', { ...ANY_JOB, refs, limit: PART })) found.push(one);
  }
  return found;
}

/** As Array.flatMap, with others served meanwhile. */
export function* gathered<T, U>(items: readonly T[], of: (item: T) => readonly U[]): Asking<U[]> {
  const found: U[] = [];
  for (const [at, item] of items.entries()) {
    for (const one of of(item)) found.push(one);
    if (at % GATHERED_AT_ONCE === 0) yield* pause();
  }
  return found;
}

const GATHERED_AT_ONCE = 64;

/** As Array.filter, with others served meanwhile. */
export function* chosen<T>(items: readonly T[], isWanted: (item: T) => boolean): Asking<T[]> {
  return yield* gathered(items, (item) => (isWanted(item) ? [item] : []));
}

/** As Array.sort, with others served meanwhile. */
export function* sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Asking<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += SORTED_AT_ONCE) {
    runs.push(items.slice(at, at + SORTED_AT_ONCE).sort(compare));
    yield* pause();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergedRuns(runs[at] as T[], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

const SORTED_AT_ONCE = 512;

/** Of two that are equal, the one from the first run comes first. */
function* mergedRuns<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (a: T, b: T) => number,
): Asking<T[]> {
  const merged: T[] = [];
  let [i, j] = [0, 0];
  while (i < first.length || j < second.length) {
    const takesFirst =
      j >= second.length || (i < first.length && compare(first[i] as T, second[j] as T) <= 0);
    merged.push((takesFirst ? first[i++] : second[j++]) as T);
    if (merged.length % SORTED_AT_ONCE === 0) yield* pause();
  }
  return merged;
}
