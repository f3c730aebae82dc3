/** Why leases wait, in the words of `trainyard why`; for many at once, so that what they share is looked up once. */

import { latestEndAt } from '../../dialects/native/job-facts.ts';
import { whyItWaits } from '../../dialects/native/reasons.ts';
import type { OtherJob } from '../../dialects/native/surroundings.ts';
import type { JobId } from '../../model/ids.ts';
import { displayId } from '../../model/job.ts';
import { ANY_JOB, type JobView } from '../../model/query.ts';
import type { Reason } from '../../model/reason.ts';
import type { Yard } from '../yard.ts';

/** The jobs as they are now, those that nobody knows left out. */
export function viewsOf(yard: Yard, jobs: readonly JobId[]): readonly JobView[] {
  if (jobs.length === 0) return [];
  const refs = jobs.map((job) => ({ job, index: null }));
  return yard.query('jobs', { ...ANY_JOB, refs, limit: refs.length });
}

/** A sentence for each of them. */
export function waitingSentences(yard: Yard, views: readonly JobView[]): (view: JobView) => string {
  const named = new Set(views.flatMap(({ reason }) => (reason === null ? [] : namedJobs(reason))));
  const others = new Map<JobId, OtherJob>(
    viewsOf(yard, [...named]).map(({ job }) => [
      job.id,
      { called: displayId(job), endsBy: latestEndAt(job) },
    ]),
  );
  const around = { now: yard.now(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone, others };
  return ({ job, reason }) => {
    const waits =
      reason === null ? 'is about to start' : whyItWaits(reason, { ...around, caller: job.spec.user });
    return `job ${displayId(job)} ${waits}`;
  };
}

function namedJobs(reason: Reason): readonly JobId[] {
  if (reason.kind === 'resources') return reason.waitsFor;
  if (reason.kind === 'learning') return [reason.job];
  return reason.kind === 'priority' && reason.behind !== null ? [reason.behind] : [];
}
