/**
 * Stopping what runs where it is, and letting it go on. It keeps its place, except that it lends its CPUs where it makes
 * room for another; and its time limit stands still.
 */

import type { JobId, JobRef } from '../../model/ids.ts';
import { type Attempt, displayId, isUnderWay, type Job, type SuspensionCause } from '../../model/job.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { queueNamed } from '../priority.ts';
import { suspensionCauses } from '../suspension.ts';
import { record, type Turn } from '../turn.ts';
import { elementsOf, find, isRefusal, mayControl, notYours } from './find.ts';

export function suspend(turn: Turn, target: JobRef, by: string): JobId | Refusal {
  return changeMind(turn, target, by, (job, attempt) => suspendAttempt(turn, job, attempt, by, 'job'));
}

/** At once; or, where it asked for it, after it has been told and had as long as those who end. */
export function suspendAttempt(
  turn: Turn,
  job: Job,
  attempt: Attempt,
  by: string,
  cause: SuspensionCause,
  forJob?: JobId,
): void {
  if (suspensionCauses(attempt).includes(cause)) return;
  const room = forJob === undefined ? {} : { forJob };
  const about = { job: job.id, attempt: attempt.id, by, cause, ...room };
  const signal = job.spec.suspendSignal;
  if (attempt.suspendedAt !== null || signal === undefined)
    return record(turn, { type: 'attemptSuspended', ...about });
  if (attempt.suspendAt == null) {
    const n = attempt.signalCount + 1;
    record(turn, { type: 'signalRequested', job: job.id, attempt: attempt.id, n, signal, scope: 'all', by });
  }
  const suspendAt = attempt.suspendAt ?? turn.now + graceMsOf(turn, job);
  record(turn, { type: 'suspendAnnounced', ...about, suspendAt });
}

/** The time that it was told of has come. */
export function suspendAsAnnounced(turn: Turn, job: Job, attempt: Attempt): void {
  const [cause = 'job'] = suspensionCauses(attempt);
  record(turn, { type: 'attemptSuspended', job: job.id, attempt: attempt.id, by: 'the yard', cause });
}

/** Between asking a process of this job for something and making it. */
export function graceMsOf({ policy }: Turn, { spec }: Job): number {
  return queueNamed(policy, spec.queue)?.graceMs ?? policy.graceMs;
}

export function resume(turn: Turn, target: JobRef, by: string): JobId | Refusal {
  const act = (job: Job, attempt: Attempt) => resumeAttempt(turn, job, attempt, by, 'job');
  return changeMind(turn, target, by, act, whyNotResumed);
}

/** Nobody asked for it to be suspended, so nobody can ask for the opposite; null: somebody can. */
function whyNotResumed({ spec }: Job, attempt: Attempt): string | null {
  const causes = suspensionCauses(attempt);
  if (causes.includes('job')) return null;
  if (causes.includes('queue'))
    return `is suspended with its queue ${spec.queue}, and goes on when that does`;
  if (causes.includes('preemption'))
    return `makes room for job ${attempt.makesRoomFor}, and goes on when its CPUs are free again`;
  return null;
}

/** Whatever it was suspended for, or for one cause: it may stay suspended for the other. */
export function resumeAttempt(
  turn: Turn,
  job: Job,
  attempt: Attempt,
  by: string,
  cause?: SuspensionCause,
): void {
  const causes = suspensionCauses(attempt);
  if (cause === undefined ? causes.length === 0 : !causes.includes(cause)) return;
  record(turn, {
    type: 'attemptResumed',
    job: job.id,
    attempt: attempt.id,
    by,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A whole array stands for its elements that run. */
function changeMind(
  turn: Turn,
  target: JobRef,
  by: string,
  act: (job: Job, attempt: Attempt) => void,
  whyNot: (job: Job, attempt: Attempt) => string | null = () => null,
): JobId | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  const { job, unsplitIndex } = found;
  if (!mayControl(job, by)) return notYours(job);
  const targets = job.array === null ? [job] : unsplitIndex === null ? elementsOf(turn, job.id) : [];
  const running = targets.filter(({ attempt }) => isUnderWay(attempt) && attempt.startedAt !== null);
  if (running.length === 0) {
    const name = unsplitIndex === null ? displayId(job) : `${job.id}_${unsplitIndex}`;
    return refusal('wrongState', `job ${name} is not running`);
  }
  const able = running.filter(({ attempt }) => attempt?.stop === null);
  if (able.length === 0)
    return refusal('wrongState', `job ${displayId(job)} is coming to its end and cannot be suspended`);
  const hindrances = able.map((each) => whyNot(each, each.attempt as Attempt));
  if (!hindrances.includes(null)) return refusal('wrongState', `job ${displayId(job)} ${hindrances[0]}`);
  for (const each of able) act(each, each.attempt as Attempt);
  return job.id;
}
