/**
 * Finding the jobs that somebody named. An element of an array has no record before it starts; then it is
 * found as its array, with the element's index beside it.
 */

import { printable } from '../../model/bytes.ts';
import type { JobRef } from '../../model/ids.ts';
import { displayId } from '../../model/job.ts';
import { ANY_JOB, type JobDetail, type JobView } from '../../model/query.ts';
import { formatRanges, hasIndex, indicesOf, parseRanges } from '../../model/ranges.ts';
import { type Asking, query } from '../program.ts';
import { quoted } from '../text/words.ts';
import { refusalError, usageError } from './failure.ts';
import { LIVE_PHASES } from './states.ts';

/** More than the yard ever keeps in its queue at once. */
export const ALL_LIVE = 1_000_000;
const MOST_ELEMENTS_NAMED = 10_000;

export interface FoundJob {
  readonly ref: JobRef;
  readonly detail: JobDetail;
  /** Set when an element was named that has not started; `detail` is then its array's. */
  readonly unstartedIndex: number | null;
}

export function refText(ref: JobRef): string {
  return ref.index === null ? `${ref.job}` : `${ref.job}_${ref.index}`;
}

/** `17`, `17_3`, `17_[1-5,9]`: each element becomes a reference of its own. */
export function parseJobRefs(words: readonly string[]): readonly JobRef[] {
  return words.flatMap(refsOf);
}

/** Exactly one job, as `show` and `why` want it. */
export function oneJobRef(words: readonly string[], command: string): JobRef {
  const refs = parseJobRefs(words);
  const [ref] = refs;
  if (ref === undefined) throw usageError(`${command} needs a job`, `for example: trainyard ${command} 17`);
  if (refs.length > 1) throw usageError(`${command} takes one job at a time`);
  return ref;
}

export function* findJob(ref: JobRef): Asking<FoundJob> {
  const detail = yield* query('job', { ref });
  if (detail !== null && (ref.index === null || detail.view.job.element !== null)) {
    return { ref, detail, unstartedIndex: null };
  }
  const array =
    detail ?? (ref.index === null ? null : yield* query('job', { ref: { job: ref.job, index: null } }));
  if (array === null || ref.index === null) throw noSuchJob(ref);
  return unstartedElement(ref, ref.index, array);
}

/** Those of the jobs that have not ended and have a record, in one question. */
export function* findLive(refs: readonly JobRef[]): Asking<readonly JobView[]> {
  return yield* query('jobs', { ...ANY_JOB, refs, phases: LIVE_PHASES, limit: ALL_LIVE });
}

/** By every name that a person may use for them: an element has its own number and its place in the array. */
export function byName(views: readonly JobView[]): ReadonlyMap<string, JobView> {
  return new Map(
    views.flatMap((view) => [[`${view.job.id}`, view] as const, [displayId(view.job), view] as const]),
  );
}

function refsOf(word: string): readonly JobRef[] {
  const match = /^(\d{1,15})(?:_(?:(\d{1,9})|\[([\d,:-]+)(?:%\d+)?\]))?$/.exec(word);
  if (match === null) {
    throw usageError(
      `${quoted(word)} is not a job`,
      'a job is a number such as 17; an element of an array is 17_3, several are 17_[1-5]',
    );
  }
  const job = Number(match[1]);
  if (match[3] === undefined) return [{ job, index: match[2] === undefined ? null : Number(match[2]) }];
  const indices = parseRanges(match[3], MOST_ELEMENTS_NAMED);
  if (indices === null) {
    throw usageError(`${quoted(word)} does not name elements of an array`, 'for example 17_[1-5,9]');
  }
  return [...indicesOf(indices)].map((index) => ({ job, index }));
}

function unstartedElement(ref: JobRef, index: number, array: JobDetail): FoundJob {
  const { job } = array.view;
  if (job.array === null || job.spec.array === null) {
    throw refusalError('noSuchJob', `job ${job.id} is not an array, so it has no element ${index}`);
  }
  if (!hasIndex(job.spec.array.indices, index)) {
    throw refusalError(
      'noSuchJob',
      `array ${job.id} has no element ${index}`,
      `its elements are ${printable(formatRanges(job.spec.array.indices))}`,
    );
  }
  if (!hasIndex(job.array.unstarted, index)) {
    throw refusalError('wrongState', `element ${index} of array ${job.id} ended before it started`);
  }
  return { ref, detail: array, unstartedIndex: index };
}

function noSuchJob(ref: JobRef) {
  return refusalError(
    'noSuchJob',
    `there is no job ${refText(ref)}`,
    'see `trainyard queue` for what waits and runs, `trainyard history` for what has ended',
  );
}
