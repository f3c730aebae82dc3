/**
 * Where the checkpoints of jobs last: two jobs never keep theirs in the same place at the same time, from the start of
 * the one to the moment when all that it left is safe. Knows patterns and jobs; who has which place is in the state.
 */

import { attemptId, type JobId } from '../model/ids.ts';
import { isLive, type Job } from '../model/job.ts';
import type { JobSpec } from '../model/job-spec.ts';
import { isInScratch, lastingPlace } from '../model/keeping-paths.ts';
import { patternLetters } from '../model/pattern.ts';

/** The place that a job has now; null: none, or it is not under way. */
export function heldPlace(job: Job): string | null {
  return isLive(job.attempt) ? lastingPlace(job) : null;
}

/** The one that its next run will have; for an element that has no record yet, with the number that it will get. */
export function nextPlace(job: Job, index: number | null, elementId: JobId): string | null {
  if (job.spec.keeping === undefined) return null;
  const next =
    index === null ? job : { ...job, id: elementId, array: null, element: { array: job.id, index } };
  const n = (next.attempt?.n ?? 0) + 1;
  return lastingPlace(next, { id: attemptId(next.id, n), n });
}

/** Letters that stand for something else in each job, and those that do in each element of an array. */
const OF_JOB = /[jAabrJ]/;
const OF_ELEMENT = /[jabJ]/;

/** By what the places of jobs that are alike in all else may differ. */
export function placeVaries(spec: JobSpec): 'not' | 'byJob' | 'byElement' {
  const pattern = lastingPattern(spec);
  if (pattern === null) return 'not';
  const letters = patternLetters(pattern);
  if (OF_ELEMENT.test(letters)) return 'byElement';
  return OF_JOB.test(letters) ? 'byJob' : 'not';
}

/** What jobs must have in common to be told to wait for each other's place together; null: nothing. */
export function commonPlace(spec: JobSpec): readonly string[] | null {
  const pattern = lastingPattern(spec);
  if (pattern === null || placeVaries(spec) !== 'not') return null;
  return patternLetters(pattern).includes('x') ? [pattern, spec.name] : [pattern];
}

function lastingPattern({ keeping }: JobSpec): string | null {
  const pattern = keeping?.persist ?? keeping?.checkpoints ?? null;
  return pattern === null || isInScratch(pattern) ? null : pattern;
}

/** Of the elements of an array, so many are looked at for one whose place is free. */
const MOST_LOOKED_AT = 100;

export type NextStart =
  | { readonly isFree: true; readonly index: number | null; readonly place: string | null }
  | { readonly isFree: false; readonly place: string };

/** What of a job can start next, as far as places go; null: nothing of the array is left. */
export function nextStart(
  job: Job,
  indices: Iterator<number>,
  elementId: JobId,
  isTaken: (place: string) => boolean,
): NextStart | null {
  if (job.array === null) return standing(nextPlace(job, null, elementId), null, isTaken);
  const most = placeVaries(job.spec) === 'byElement' ? MOST_LOOKED_AT : 1;
  let found: NextStart | null = null;
  for (let looked = 0; looked < most && found?.isFree !== true; looked++) {
    const { value: index, done } = indices.next();
    if (done === true) break;
    found = standing(nextPlace(job, index, elementId), index, isTaken);
  }
  return found;
}

function standing(
  place: string | null,
  index: number | null,
  isTaken: (place: string) => boolean,
): NextStart {
  return place !== null && isTaken(place) ? { isFree: false, place } : { isFree: true, index, place };
}
