/**
 * How what a job keeps changes it: checkpoints that became safe, what keeps others from it, and how far it has come.
 * Decides nothing.
 */

import type { Attempt, Job } from '../model/job.ts';
import type { CheckpointNote, Progress } from '../model/keeping.ts';

/**
 * Whether a checkpoint is newer than another. The clock may have been set between the two, so a later step counts as
 * well, and so does another one of the same name: what is overwritten is gone.
 */
export function isNewer(one: CheckpointNote, other: CheckpointNote | undefined): boolean {
  if (other === undefined || one.writtenAt > other.writtenAt) return true;
  if (one.step !== null && other.step !== null && one.step !== other.step) return one.step > other.step;
  return one.name === other.name && one.writtenAt !== other.writtenAt;
}

export function withCheckpoint(job: Job, attempt: Attempt, checkpoint: CheckpointNote): Job {
  return { ...job, checkpoint, attempt: { ...attempt, checkpoint } };
}

/** What was said about it when the attempt ended is true no longer. */
export function withTrouble(job: Job, attempt: Attempt, trouble: string | null): Job {
  const { trouble: before, ...untroubled } = attempt;
  const rest = before === undefined ? job.note : withoutTrouble(job.note, before);
  const note = rest === job.note || trouble === null ? rest : noteWithTrouble(rest, trouble);
  return { ...job, note, attempt: trouble === null ? untroubled : { ...untroubled, trouble } };
}

/** A note about the job, with what could not be made safe. */
export function noteWithTrouble(note: string | null, trouble: string): string {
  return note === null ? troubleWords(trouble) : `${note}; ${troubleWords(trouble)}`;
}

function withoutTrouble(note: string | null, trouble: string): string | null {
  const words = troubleWords(trouble);
  if (note === words) return null;
  return note?.endsWith(`; ${words}`) === true ? note.slice(0, -`; ${words}`.length) : note;
}

function troubleWords(trouble: string): string {
  return `its last checkpoints could not be made safe: ${trouble}`;
}

/** How far its program said it had come when it ended. */
export function withProgress(job: Job, attempt: Attempt, progress: Progress | undefined): Job {
  if (progress === undefined) return { ...job, attempt };
  const { step } = progress;
  const isFurthest = step !== null && step > (job.furthestStep ?? Number.NEGATIVE_INFINITY);
  return {
    ...job,
    ...(isFurthest ? { furthestStep: step } : {}),
    attempt: { ...attempt, progress },
  };
}
