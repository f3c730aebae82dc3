/** The jobs that `scontrol show` knows of: those that have not ended, and those that ended a moment ago. */

import type { JobId, JobRef } from '../../../model/ids.ts';
import { ANY_JOB, type JobFilter, type JobView } from '../../../model/query.ts';
import { liveJobs } from '../../job-pages.ts';
import { type Asking, query } from '../../program.ts';
import { elementOf } from '../find-job.ts';
import { isShown } from '../job-facts.ts';
import { REMEMBERED_MS, recentlyEnded } from '../squeue/look-up.ts';

/** By number. */
export function* everyJob(now: number, some: Partial<JobFilter> = {}): Asking<readonly JobView[]> {
  const filter = { ...ANY_JOB, ...some };
  const live = yield* liveJobs(filter);
  const ended = yield* recentlyEnded(filter, now);
  const byId = new Map([...ended, ...live].map((view) => [view.job.id, view]));
  return [...byId.values()].filter(({ job }) => isShown(job)).sort((a, b) => a.job.id - b.job.id);
}

/** The number of an array means all of its records, the newest first after the one that stands for the rest. */
export function* jobsMeant({ job: id, index }: JobRef, now: number): Asking<readonly JobView[]> {
  const [own] = yield* remembered({ job: id, index: null }, now);
  if (index !== null) {
    const started = yield* remembered({ job: id, index }, now);
    if (started.length > 0) return started;
    return own === undefined ? [] : [elementOf(own, index)].filter((view) => view !== null);
  }
  if (own === undefined || own.job.array === null) return own === undefined ? [] : [own];
  return [own].filter(({ job }) => isShown(job)).concat(yield* elementsOf(id, own.job.spec.user, now));
}

function* remembered(ref: JobRef, now: number): Asking<readonly JobView[]> {
  const views = yield* query('jobs', { ...ANY_JOB, refs: [ref] });
  return views.filter(({ job }) => job.endedAt === null || job.endedAt >= now - REMEMBERED_MS);
}

function* elementsOf(array: JobId, user: string, now: number): Asking<readonly JobView[]> {
  const views = yield* everyJob(now, { users: [user] });
  return views.filter(({ job }) => job.element?.array === array).reverse();
}
