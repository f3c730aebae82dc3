/**
 * What is asked about the checkpoints of a job: of which job it can be asked, and by whom. Whoever runs the job has the
 * answer.
 */

import type { CheckpointsResult } from '../dialects/program.ts';
import type { Engine } from '../engines/engine.ts';
import type { JobId } from '../model/ids.ts';
import { displayId, isLive, type Job } from '../model/job.ts';
import type { CheckpointsAsk } from '../model/keeping.ts';
import { isInScratch } from '../model/keeping-paths.ts';
import { Fault, type Refusal, refusal } from '../model/refusal.ts';

export interface CheckpointsAsked {
  readonly id: JobId;
  /** Null: there is none. */
  readonly job: Job | null;
  readonly ask: CheckpointsAsk;
  /** Who asks. */
  readonly by: string;
}

export async function askAboutCheckpoints(
  engine: Pick<Engine, 'checkpoints'>,
  { id, job, ask, by }: CheckpointsAsked,
): Promise<CheckpointsResult> {
  if (job === null) return { ok: false, refusal: noSuchJob(id) };
  const objection = objectionTo(job, ask, by);
  if (objection !== null) return { ok: false, refusal: objection };
  try {
    return { ok: true, ...(await engine.checkpoints(job, job.attempt, ask)) };
  } catch (error) {
    if (error instanceof Fault) return { ok: false, refusal: refusal('unavailable', error.message) };
    throw error;
  }
}

function objectionTo(job: Job, ask: CheckpointsAsk, by: string): Refusal | null {
  const name = displayId(job);
  if (job.array !== null)
    return refusal(
      'badRequest',
      `job ${name} is an array, and each of its elements keeps its own checkpoints`,
      `name one element, such as ${name}_1`,
    );
  if ((job.spec.keeping?.checkpoints ?? null) === null)
    return refusal(
      'wrongState',
      `job ${name} keeps no checkpoints`,
      'say where its program writes them when you submit it: #YARD checkpoints=DIR',
    );
  const changesSomething = ask.what !== 'list' && ask.what !== 'verify';
  if (changesSomething && by !== job.spec.user && by !== 'root')
    return refusal('notAllowed', `job ${name} belongs to ${job.spec.user}`);
  return ask.what === 'restore' && ask.to === null ? objectionToItsOwnPlace(job) : null;
}

/** Where its program looks for them is not always a place to put one. */
function objectionToItsOwnPlace(job: Job): Refusal | null {
  const name = displayId(job);
  const hint = 'name another directory to put it in: --to DIR';
  if (isLive(job.attempt))
    return refusal('wrongState', `job ${name} is running and writes its checkpoints there itself`, hint);
  if (isInScratch(job.spec.keeping?.checkpoints ?? ''))
    return refusal('wrongState', `job ${name} has no scratch directory now`, hint);
  return null;
}

function noSuchJob(id: JobId): Refusal {
  return refusal('noSuchJob', `there is no job ${id}`, 'see `trainyard queue` and `trainyard history`');
}
