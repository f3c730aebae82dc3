/**
 * What becomes of a job after a run that went wrong, where that is not the end of it: it runs again, or it is held,
 * perhaps in error, until somebody has looked at it. What asks for that is in the yard's policy, or in the job itself.
 */

import type { Attempt, Hold, Job } from '../../model/job.ts';
import { formatDuration } from '../../model/units.ts';
import { record, type Turn } from '../turn.ts';

/** False when it does not: then it has failed. */
export function comesBack(
  turn: Turn,
  job: Job,
  attempt: Attempt,
  code: number | null,
  fault: string | null,
): boolean {
  const { aftermath, program } = job.spec;
  // Only whoever asked for the place could run something in it again.
  if (program.spread === 'caller') return false;
  if (aftermath === undefined) {
    if (code === null || !asksForAnother(turn, job, code)) return false;
    runAgain(turn, job, attempt, code, turn.policy.requeueHoldExitCodes.includes(code));
    return true;
  }
  if (fault !== null && aftermath.faultsAreErrors) holdInError(turn, job, fault);
  else if (code !== null && aftermath.errorExitCodes.includes(code))
    holdInError(turn, job, `exit_status of job start = ${code}`);
  else if (code !== null && aftermath.againExitCodes.includes(code))
    runAgain(turn, job, attempt, code, false);
  else return false;
  return true;
}

/** Batch scripts can: they say so by how they exit. */
function asksForAnother({ policy }: Turn, { spec }: Job, code: number): boolean {
  const isBatchScript = spec.program.spread === 'once' && spec.program.script !== null;
  return (
    isBatchScript &&
    spec.requeue &&
    (policy.requeueExitCodes.includes(code) || policy.requeueHoldExitCodes.includes(code))
  );
}

function holdInError(turn: Turn, job: Job, reason: string): void {
  record(turn, {
    type: 'jobRequeued',
    job: job.id,
    why: reason,
    hold: { by: 'yard', reason, isError: true },
  });
}

/** Back to the queue, unless it is to be held, or gets nowhere: it would go round and round. */
function runAgain(turn: Turn, job: Job, attempt: Attempt, code: number, asksToBeHeld: boolean): void {
  const { policy, now } = turn;
  const ranMs = now - (attempt.startedAt ?? now) - attempt.suspendedMs;
  const fruitless = ranMs < policy.fruitlessUnderMs ? job.fruitless + 1 : 0;
  const why = `exit code ${code} asks for another run`;
  const reason = asksToBeHeld
    ? `exit code ${code} asks to be held`
    : fruitless >= policy.maxFruitless
      ? `it asked for another run ${fruitless} times in a row, each time within ${formatDuration(policy.fruitlessUnderMs)} of starting`
      : null;
  if (reason === null) startAgain(turn, job, why, fruitless);
  else record(turn, { type: 'jobRequeued', job: job.id, why, hold: heldByYard(job, reason), fruitless });
}

/** Back to the queue, unless it has been there too often. */
export function startAgain(turn: Turn, job: Job, why: string, fruitless = 0): void {
  const tooOften = job.restarts >= turn.policy.maxRestarts;
  const hold = tooOften ? heldByYard(job, `started again ${job.restarts} times (${why})`) : null;
  record(turn, { type: 'jobRequeued', job: job.id, why, hold, ...(fruitless > 0 ? { fruitless } : {}) });
}

/** Where jobs can be in error, this is one. */
function heldByYard({ spec }: Job, reason: string): Hold {
  return { by: 'yard', reason, ...(spec.aftermath === undefined ? {} : { isError: true }) };
}
