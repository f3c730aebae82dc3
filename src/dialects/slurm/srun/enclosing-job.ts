/** The job in which an `srun` is called, or which it names. */

import type { JobId } from '../../../model/ids.ts';
import { variableOf } from '../../environment.ts';
import { type Asking, query } from '../../program.ts';
import type { Allocation } from '../allocate/allocation.ts';
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
  const detail = yield* query('job', { ref: { job: id, index: null } });
  const job = detail?.view.job ?? null;
  if (job === null)
    throw unconfirmed(id, `Unable to confirm allocation for job ${id}: Invalid job id specified`);
  if (job.phase === 'ended') throw unconfirmed(id, `SLURM job ${id} has expired`);
  const { attempt } = job;
  if (job.phase !== 'active' || attempt === null || attempt.startedAt === null) {
    throw unconfirmed(id, `Unable to confirm allocation for job ${id}: Job is pending execution`);
  }
  return { job, attempt };
}

function unconfirmed(id: JobId, sentence: string): SlurmFailure {
  const hint = `srun: Check SLURM_JOB_ID environment variable. Expired or invalid job ${id}`;
  return new SlurmFailure([`srun: error: ${sentence}`, hint], 1);
}
