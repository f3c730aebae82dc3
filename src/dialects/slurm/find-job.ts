/**
 * The record that somebody means by `17` or `4_1`. An element of an array has none before it starts; it is then
 * found as what it would be: its array's record, standing for this element alone.
 */

import type { JobRef } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { JobView } from '../../model/query.ts';
import { EMPTY, hasIndex } from '../../model/ranges.ts';
import { type Asking, query } from '../program.ts';

export function* findJob({ job, index }: JobRef): Asking<JobView | null> {
  const found = yield* query('job', { ref: { job, index } });
  if (found !== null || index === null) return found?.view ?? null;
  const array = yield* query('job', { ref: { job, index: null } });
  return array === null ? null : elementOf(array.view, index);
}

/** Null when the array has no such element, or the element is over. */
export function elementOf(view: JobView, index: number): JobView | null {
  const { job } = view;
  if (job.array === null || !hasIndex(job.array.unstarted, index)) return null;
  return { ...view, job: asElement(job, index) };
}

function asElement(job: Job, index: number): Job {
  const spec = { ...job.spec, array: job.spec.array && { ...job.spec.array, indices: EMPTY } };
  return { ...job, spec, array: null, element: { array: job.id, index } };
}
