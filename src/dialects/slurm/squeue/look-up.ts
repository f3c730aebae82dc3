/** Asks the yard for the jobs that `squeue` may list. What ended is remembered for a while, as Slurm does. */

import { ANY_JOB, type JobFilter, type JobRecord, type JobView } from '../../../model/query.ts';
import { activeRecords, eachPage, liveJobs } from '../../job-pages.ts';
import { type Asking, query } from '../../program.ts';
import { type Filters, wantsEnded } from './filters.ts';

/** Slurm calls it MinJobAge. */
export const REMEMBERED_MS = 300_000;
const MOST_JOBS = 10_000_000;

/** Null when exactly one job was asked for and there is none of that number. */
export function* findJobs(
  filters: Filters,
  now: number,
  everything: boolean,
): Asking<readonly JobView[] | null> {
  const users = filters.users === null ? null : [...filters.users];
  const queues = filters.partitions === null ? null : [...filters.partitions];
  const some: JobFilter = { ...ANY_JOB, users, queues };
  const withEnded = everything ? filters.states === null || wantsEnded(filters) : wantsEnded(filters);
  if (filters.asked === null) return yield* listed(some, now, withEnded);
  const named = yield* namedJobs(filters.asked, now);
  if (filters.onlyJob !== null && named.length === 0) return null;
  const arrays = named.filter(({ job }) => job.array !== null);
  if (arrays.length === 0) return named;
  // The elements of an array are jobs of their own, and belong to whoever it belongs to.
  const owners = [...new Set(arrays.map(({ job }) => job.spec.user))];
  const elements = yield* listed({ ...ANY_JOB, users: owners }, now, withEnded);
  const arrayIds = new Set(arrays.map(({ job }) => job.id));
  return unique([
    ...named,
    ...elements.filter(({ job }) => job.element !== null && arrayIds.has(job.element.array)),
  ]);
}

function* namedJobs(
  { whole, elements }: NonNullable<Filters['asked']>,
  now: number,
): Asking<readonly JobView[]> {
  const refs = [...whole, ...elements.keys()].map((job) => ({ job, index: null }));
  const found = yield* query('jobs', { ...ANY_JOB, refs, limit: MOST_JOBS });
  return unique(found.filter(({ job }) => job.endedAt === null || job.endedAt >= now - REMEMBERED_MS));
}

function* listed(some: JobFilter, now: number, withEnded: boolean): Asking<readonly JobView[]> {
  const live = yield* liveJobs(some);
  return withEnded ? unique([...live, ...(yield* recentlyEnded(some, now))]) : live;
}

/** Those that are still remembered, in the order in which they ended. */
export function* recentlyEnded(some: JobFilter, now: number): Asking<readonly JobView[]> {
  const ended: JobView[] = [];
  const after = { key: now - REMEMBERED_MS, id: Number.MAX_SAFE_INTEGER };
  const filter: JobFilter = { ...some, phases: ['ended'] };
  yield* eachPage({ filter, order: { by: 'end' }, after }, (records) => {
    for (const { view } of records) ended.push(view);
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
