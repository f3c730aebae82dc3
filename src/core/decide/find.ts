/** From the job that somebody named to the record that is meant. */

import { type AttemptId, type JobId, type JobRef, jobOfAttempt } from '../../model/ids.ts';
import { type Attempt, displayId, isLive, type Job } from '../../model/job.ts';
import { hasIndex } from '../../model/ranges.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { jobOf } from '../state.ts';
import { record, type Turn } from '../turn.ts';

export type Found = { readonly job: Job; readonly unsplitIndex: number | null };

/** An element that has no record yet is found as its array plus the index. */
export function find(turn: Turn, { job: id, index }: JobRef): Found | Refusal {
  const job = turn.state.jobs.get(id);
  if (job === undefined) return noSuchJob(`${id}`);
  if (index === null) return { job, unsplitIndex: null };
  if (job.array === null) {
    if (job.element?.index === index) return { job, unsplitIndex: null };
    return refusal(
      'noSuchJob',
      `job ${id} is not an array, so there is no ${id}_${index}`,
      `say ${id} alone`,
    );
  }
  const element = turn.state.elements.get(id)?.get(index);
  if (element !== undefined) return { job: jobOf(turn.state, element), unsplitIndex: null };
  if (hasIndex(job.array.unstarted, index)) return { job, unsplitIndex: index };
  return noSuchJob(`${id}_${index}`);
}

export interface FoundAttempt {
  readonly job: Job;
  readonly attempt: Attempt;
}

/** The attempt that was seen, if its job has no later one and it is not over. */
export function currentAttempt(turn: Turn, id: AttemptId): FoundAttempt | null {
  const found = lastAttempt(turn, id);
  return isLive(found?.attempt ?? null) ? found : null;
}

/** The same, also when it is over and something of it is not safe: it may become so. */
export function unsettledAttempt(turn: Turn, id: AttemptId): FoundAttempt | null {
  const found = lastAttempt(turn, id);
  return found?.attempt.trouble === undefined ? currentAttempt(turn, id) : found;
}

function lastAttempt(turn: Turn, id: AttemptId): FoundAttempt | null {
  const job = turn.state.jobs.get(jobOfAttempt(id));
  return job?.attempt?.id === id ? { job, attempt: job.attempt } : null;
}

export function isRefusal(found: Found | Refusal): found is Refusal {
  return 'code' in found;
}

/** Gives the element a record of its own where it has none. */
export function settle(turn: Turn, { job, unsplitIndex }: Found): Job {
  return unsplitIndex === null ? job : split(turn, job.id, unsplitIndex);
}

export function split(turn: Turn, array: JobId, index: number): Job {
  const id = turn.state.nextJobId;
  record(turn, { type: 'elementSplit', job: id, array, index });
  return jobOf(turn.state, id);
}

export function mayControl(job: Job, by: string): boolean {
  return by === job.spec.user || by === 'root';
}

export function notYours(job: Job): Refusal {
  return refusal('notAllowed', `job ${displayId(job)} belongs to ${job.spec.user}`);
}

export function alreadyEnded(job: Job, what: string): Refusal {
  return refusal(
    'wrongState',
    `job ${displayId(job)} has ended and cannot be ${what}`,
    'use `trainyard requeue` to run it again',
  );
}

export function onlyItsCaller(job: Job): Refusal {
  return refusal(
    'wrongState',
    `job ${displayId(job)} is run by whoever asked for it and cannot be started again`,
    'run the command that asked for it once more',
  );
}

/** The records of all elements that have one. */
export function elementsOf(turn: Turn, array: JobId): Job[] {
  return [...(turn.state.elements.get(array)?.values() ?? [])].map((id) => jobOf(turn.state, id));
}

function noSuchJob(name: string): Refusal {
  return refusal('noSuchJob', `there is no job ${name}`, 'see `trainyard queue` and `trainyard history`');
}
