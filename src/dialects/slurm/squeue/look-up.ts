/** Asks the yard for the jobs that `squeue` may list. What ended is remembered for a while, as Slurm does. */

import type { JobId } from '../../../model/ids.ts';
import { ANY_JOB, type JobFilter, type JobRecord, type JobView } from '../../../model/query.ts';
import { activeRecords, eachLive, eachPage, PART, type Visit } from '../../job-pages.ts';
import { type Asking, query } from '../../program.ts';
import { type Filters, wantsEnded } from './filters.ts';

/** Slurm calls it MinJobAge. */
export const REMEMBERED_MS = 300_000;
const MOST_JOBS = 10_000_000;

/** Part by part, each once. False when exactly one job was asked for and there is none of that number. */
export function* eachJob(
  filters: Filters,
  now: number,
  everything: boolean,
  visit: Visit<JobView>,
): Asking<boolean> {
  const seen = new Set<JobId>();
  const fresh: Visit<JobView> = (views) => {
    const unseen = views.filter(({ job }) => !seen.has(job.id));
    for (const { job } of unseen) seen.add(job.id);
    return visit(unseen);
  };
  const withEnded = everything ? filters.states === null || wantsEnded(filters) : wantsEnded(filters);
  if (filters.asked === null) {
    const users = filters.users === null ? null : [...filters.users];
    const queues = filters.partitions === null ? null : [...filters.partitions];
    yield* eachListed({ ...ANY_JOB, users, queues }, now, withEnded, fresh);
    return true;
  }
  const named = yield* namedJobs(filters.asked, now);
  if (filters.onlyJob !== null && named.length === 0) return false;
  yield* each(named, fresh);
  const arrays = named.filter(({ job }) => job.array !== null);
  if (arrays.length === 0) return true;
  // The elements of an array are jobs of their own, and belong to whoever it belongs to.
  const owners = [...new Set(arrays.map(({ job }) => job.spec.user))];
  const arrayIds = new Set(arrays.map(({ job }) => job.id));
  yield* eachListed({ ...ANY_JOB, users: owners }, now, withEnded, (views) =>
    fresh(views.filter(({ job }) => job.element !== null && arrayIds.has(job.element.array))),
  );
  return true;
}

function* each(views: readonly JobView[], visit: Visit<JobView>): Asking<void> {
  for (let at = 0; at < views.length; at += PART) {
    const looked = visit(views.slice(at, at + PART));
    if (typeof looked === 'object') yield* looked;
  }
}

function* namedJobs(
  { whole, elements }: NonNullable<Filters['asked']>,
  now: number,
): Asking<readonly JobView[]> {
  const refs = [...whole, ...elements.keys()].map((job) => ({ job, index: null }));
  const found = yield* query('jobs', { ...ANY_JOB, refs, limit: MOST_JOBS });
  return unique(found.filter(({ job }) => job.endedAt === null || job.endedAt >= now - REMEMBERED_MS));
}

function* eachListed(some: JobFilter, now: number, withEnded: boolean, visit: Visit<JobView>): Asking<void> {
  yield* eachLive(some, visit);
  if (withEnded) yield* eachRecentlyEnded(some, now, visit);
}

/** Those that are still remembered, in the order in which they ended. */
function* eachRecentlyEnded(some: JobFilter, now: number, visit: Visit<JobView>): Asking<void> {
  const after = { key: now - REMEMBERED_MS, id: Number.MAX_SAFE_INTEGER };
  const filter: JobFilter = { ...some, phases: ['ended'] };
  yield* eachPage({ filter, order: { by: 'end' }, after }, (records) =>
    visit(records.map(({ view }) => view)),
  );
}

export function* recentlyEnded(some: JobFilter, now: number): Asking<readonly JobView[]> {
  const ended: JobView[] = [];
  yield* eachRecentlyEnded(some, now, (views) => {
    ended.push(...views);
    return undefined;
  });
  return ended;
}

function unique(views: readonly JobView[]): readonly JobView[] {
  return [...new Map(views.map((view) => [view.job.id, view])).values()];
}

/** Only what runs has steps. */
export function* findSteps(): Asking<readonly JobRecord[]> {
  return yield* activeRecords();
}
