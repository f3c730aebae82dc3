/**
 * Whether a run brought its job further: by a checkpoint that is safe, or by a step beyond all before it. Of a job that
 * has neither nothing is known, and it is never said to stand still.
 */

import type { Attempt, Job } from '../../model/job.ts';
import type { Progress } from '../../model/keeping.ts';
import { formatDuration } from '../../model/units.ts';
import { noteWithTrouble } from '../keeping.ts';

/** A run that is over, with its job and its attempt as they were before that. */
export interface Run {
  readonly job: Job;
  readonly attempt: Attempt;
  /** How far its program said it had come; absent: it said nothing. */
  readonly progress?: Progress;
}

export function isFurther({ job, attempt, progress }: Run): boolean {
  return attempt.checkpoint !== undefined || (progress?.step ?? 0) > (job.furthestStep ?? 0);
}

export function tellsHowFar({ job, progress }: Run): boolean {
  return namesCheckpoints(job) || job.furthestStep !== undefined || (progress?.step ?? null) !== null;
}

function namesCheckpoints({ spec }: Job): boolean {
  return (spec.keeping?.checkpoints ?? null) !== null;
}

/** What the job is held for after so many runs in a row that brought it no further, and what can be done about it. */
export function whyStagnant(run: Run, runs: number, atTimeLimit: boolean): string {
  const { job, attempt } = run;
  const which = runs === 1 ? 'its last run' : `${runs} runs in a row`;
  const what = namesCheckpoints(job)
    ? `${which} ended without a new checkpoint`
    : `${which} came no further than step ${job.furthestStep ?? 0}`;
  if (attempt.trouble !== undefined) return `${what}: ${attempt.trouble}; see to that, then release it`;
  const { limitMs } = job.spec;
  if (!atTimeLimit || limitMs === null) return `${what}: see what its output says, then release it`;
  const had = `${runs === 1 ? 'it' : 'each'} had ${formatDuration(limitMs)}`;
  return `${what}; ${had}: give it more time, or save more often, then release it`;
}

/** A note about the job, with what could not be made safe. */
export function withTrouble<T extends string | null>(note: T, { trouble }: Attempt): T | string {
  return trouble === undefined ? note : noteWithTrouble(note, trouble);
}
