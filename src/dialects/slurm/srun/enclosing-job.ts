/** The job in which an `srun` is called, or which it names. */

import type { JobId } from '../../../model/ids.ts';
import type { Job } from '../../../model/job.ts';
import type { Allocation } from '../../allocation.ts';
import { variableOf } from '../../environment.ts';
import { type Asking, awaitChange, query } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { countAsked } from '../submit/given.ts';
import type { SrunWish } from './options.ts';

/** Null when there is none. Jobs of other dialects are known by the yard's own variable. */
export function enclosingJob({ asked, invocation }: SrunWish): JobId | null {
  const named = countAsked(asked, 'jobid');
  if (named !== null) return named;
  const own = variableOf(invocation.environment, 'TRAINYARD_JOB_ID') ?? '';
  return /^\d{1,15}$/.test(own) ? Number(own) : null;
}

/** With its place, which steps can use. */
export function* confirmedJob(id: JobId): Asking<Allocation> {
  for (;;) {
    const job = yield* jobNamed(id);
    const { attempt } = job;
    if (job.phase !== 'active' || attempt === null) {
      throw unconfirmed(id, `Unable to confirm allocation for job ${id}: Job is pending execution`);
    }
    if (attempt.startedAt !== null) return { job, attempt };
    // Its script may be quicker with its first line than the yard is with noting that it runs.
    yield* awaitChange([id], null);
  }
}

function* jobNamed(id: JobId): Asking<Job> {
  const detail = yield* query('job', { ref: { job: id, index: null } });
  const job = detail?.view.job ?? null;
  if (job === null)
    throw unconfirmed(id, `Unable to confirm allocation for job ${id}: Invalid job id specified`);
  if (job.phase === 'ended') throw unconfirmed(id, `SLURM job ${id} has expired`);
  return job;
}

function unconfirmed(id: JobId, sentence: string): SlurmFailure {
  const hint = `srun: Check SLURM_JOB_ID environment variable. Expired or invalid job ${id}`;
  return new SlurmFailure([`srun: error: ${sentence}`, hint], 1);
}
