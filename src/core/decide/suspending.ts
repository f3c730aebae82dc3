/** Stopping what runs where it is, and letting it go on. It keeps its place, and its time limit stands still. */

import type { JobId, JobRef } from '../../model/ids.ts';
import { type Attempt, displayId, isLive, type Job } from '../../model/job.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { record, type Turn } from '../turn.ts';
import { elementsOf, find, isRefusal, mayControl, notYours } from './find.ts';

export function suspend(turn: Turn, target: JobRef, by: string): JobId | Refusal {
  return changeMind(turn, target, by, (job, attempt) => {
    if (attempt.suspendedAt === null)
      record(turn, { type: 'attemptSuspended', job: job.id, attempt: attempt.id, by });
  });
}

export function resume(turn: Turn, target: JobRef, by: string): JobId | Refusal {
  return changeMind(turn, target, by, (job, attempt) => resumeAttempt(turn, job, attempt, by));
}

export function resumeAttempt(turn: Turn, job: Job, attempt: Attempt, by: string): void {
  if (attempt.suspendedAt !== null)
    record(turn, { type: 'attemptResumed', job: job.id, attempt: attempt.id, by });
}

/** A whole array stands for its elements that run. */
function changeMind(
  turn: Turn,
  target: JobRef,
  by: string,
  act: (job: Job, attempt: Attempt) => void,
): JobId | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  const { job, unsplitIndex } = found;
  if (!mayControl(job, by)) return notYours(job);
  const targets = job.array === null ? [job] : unsplitIndex === null ? elementsOf(turn, job.id) : [];
  const running = targets.filter(({ attempt }) => isLive(attempt) && attempt.startedAt !== null);
  if (running.length === 0) {
    const name = unsplitIndex === null ? displayId(job) : `${job.id}_${unsplitIndex}`;
    return refusal('wrongState', `job ${name} is not running`);
  }
  const able = running.filter(({ attempt }) => attempt?.stop === null);
  if (able.length === 0)
    return refusal('wrongState', `job ${displayId(job)} is coming to its end and cannot be suspended`);
  for (const each of able) act(each, each.attempt as Attempt);
  return job.id;
}
