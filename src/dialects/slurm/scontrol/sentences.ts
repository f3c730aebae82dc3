/**
 * What Slurm says when it will not do something to a job: the yard's refusal, and how the job is doing, become one
 * of its sentences. Clients look for these, so they are the original's.
 */

import type { JobPhase } from '../../../model/job.ts';
import type { Refusal } from '../../../model/refusal.ts';
import { slurmSentence } from '../failure.ts';

export type Deed = 'hold' | 'release' | 'requeue' | 'suspend' | 'resume' | 'top' | 'update';

export const NO_SUCH_JOB = 'Invalid job id specified';
export const PENDING_ALREADY = 'Job is pending execution';
export const NOT_PENDING = 'Job is no longer pending execution';
export const FINISHED = 'Job has already finished';
export const COMPLETED = 'Job/step already completing or completed';
export const HELD = 'Job is in held state, pending scheduler release';
export const NOT_SUSPENDED = 'Job is not suspended';
export const DISABLED = 'Requested operation is presently disabled';
export const BATCH_ONLY = 'Only batch jobs are accepted or processed';
export const WRONG_USER = 'Invalid user id';
export const NOT_SUPPORTED = 'Requested operation not supported on this system';

/** In which words it is said that a job belongs to somebody else. */
const SAYS_WRONG_USER: ReadonlySet<Deed> = new Set<Deed>(['hold', 'release', 'update']);

export function sentenceFor(deed: Deed, refusal: Refusal, phase: JobPhase | null): string {
  if (refusal.code === 'notAllowed' && SAYS_WRONG_USER.has(deed)) return WRONG_USER;
  if (refusal.code === 'wrongState' && phase !== null) return WRONG_STATE[deed][stageOf(phase)];
  return slurmSentence(refusal);
}

type Stage = 'before' | 'during' | 'after';

function stageOf(phase: JobPhase): Stage {
  if (phase === 'active') return 'during';
  return phase === 'ended' ? 'after' : 'before';
}

const WRONG_STATE: Readonly<Record<Deed, Readonly<Record<Stage, string>>>> = {
  hold: { before: PENDING_ALREADY, during: NOT_PENDING, after: FINISHED },
  release: { before: PENDING_ALREADY, during: NOT_PENDING, after: FINISHED },
  requeue: { before: PENDING_ALREADY, during: DISABLED, after: DISABLED },
  suspend: { before: PENDING_ALREADY, during: DISABLED, after: COMPLETED },
  resume: { before: PENDING_ALREADY, during: NOT_SUSPENDED, after: COMPLETED },
  top: { before: HELD, during: NOT_PENDING, after: NOT_PENDING },
  update: { before: DISABLED, during: NOT_PENDING, after: FINISHED },
};
