/**
 * What becomes of a job after a run that went wrong, where that is not the end of it: it runs again, or it is held,
 * perhaps in error, until somebody has looked at it. What asks for that is in the yard's policy, or in the job itself.
 */

import type { Hold, Job } from '../../model/job.ts';
import { mayAskAgain } from '../../model/job-spec.ts';
import { formatDuration } from '../../model/units.ts';
import { record, type Turn } from '../turn.ts';
import { isFurther, type Run, tellsHowFar, whyStagnant, withTrouble } from './advance.ts';

/** False when it does not: then it has failed. */
export function comesBack(turn: Turn, run: Run, code: number | null, fault: string | null): boolean {
  const { job } = run;
  const { aftermath, program } = job.spec;
  // Only whoever asked for the place could run something in it again.
  if (program.spread === 'caller') return false;
  if (fault !== null && couldNotBegin(run)) {
    again(turn, run, fault, fault, { fruitless: 0, stagnant: job.stagnant ?? 0 });
    return true;
  }
  if (aftermath === undefined) {
    if (code === null || !asksForAnother(turn, job, code)) return false;
    runAgain(turn, run, code, turn.policy.requeueHoldExitCodes.includes(code));
    return true;
  }
  if (fault !== null && aftermath.faultsAreErrors) holdInError(turn, job, fault);
  else if (code !== null && aftermath.errorExitCodes.includes(code))
    holdInError(turn, job, `exit_status of job start = ${code}`);
  else if (code !== null && aftermath.againExitCodes.includes(code)) runAgain(turn, run, code, false);
  else return false;
  return true;
}

/**
 * What was to be there for a job that goes on over many runs was not: no room for its scratch, its storage away. Nothing
 * of it is lost by that, so it waits for somebody to see to it, and holds nothing meanwhile.
 */
function couldNotBegin({ job, attempt }: Run): boolean {
  return job.spec.keeping !== undefined && attempt.startedAt === null;
}

/** They say so by how they exit. */
function asksForAnother({ policy }: Turn, { spec }: Job, code: number): boolean {
  return (
    mayAskAgain(spec) &&
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
function runAgain(turn: Turn, run: Run, code: number, asksToBeHeld: boolean): void {
  const { policy, now } = turn;
  const { job, attempt } = run;
  const ranMs = (attempt.endedAt ?? now) - (attempt.startedAt ?? now) - attempt.suspendedMs;
  const fruitless = ranMs < policy.fruitlessUnderMs ? job.fruitless + 1 : 0;
  const reason = asksToBeHeld
    ? `exit code ${code} asks to be held`
    : fruitless >= policy.maxFruitless
      ? `it asked for another run ${fruitless} times in a row, each time within ${formatDuration(policy.fruitlessUnderMs)} of starting`
      : null;
  const stagnant = stagnantNow(run);
  const standsStill = stagnant >= policy.maxStagnant ? whyStagnant(run, stagnant, false) : null;
  const why = `exit code ${code} asks for another run`;
  again(turn, run, why, reason ?? standsStill, { fruitless, stagnant });
}

/** Its time limit ended one run of several: any number of them, as long as they bring it further. */
export function goOn(turn: Turn, run: Run): void {
  const stagnant = stagnantNow(run);
  const reason = stagnant >= turn.policy.maxStagnant ? whyStagnant(run, stagnant, true) : null;
  const why = reason === null ? 'its time limit came, and it goes on' : 'its time limit came';
  again(turn, run, why, reason, { fruitless: 0, stagnant });
}

/** Through no doing of its own: whether it had got anywhere yet is not held against it. */
export function startAgain(turn: Turn, run: Run, why: string): void {
  const stagnant = isFurther(run) ? 0 : (run.job.stagnant ?? 0);
  again(turn, run, why, null, { fruitless: 0, stagnant });
}

/** Somebody asked for it, and perhaps has seen to what kept it from getting anywhere. */
export function startAnew(turn: Turn, run: Run, why: string): void {
  again(turn, run, why, null, { fruitless: 0, stagnant: 0 });
}

function stagnantNow(run: Run): number {
  return isFurther(run) || !tellsHowFar(run) ? 0 : (run.job.stagnant ?? 0) + 1;
}

interface Counts {
  readonly fruitless: number;
  readonly stagnant: number;
}

/** Back to the queue, unless there is a reason to hold it, or it has been there too often. */
function again(
  turn: Turn,
  run: Run,
  why: string,
  reason: string | null,
  { fruitless, stagnant }: Counts,
): void {
  const { job, attempt } = run;
  const held = reason ?? whyTooOften(turn, run, why);
  record(turn, {
    type: 'jobRequeued',
    job: job.id,
    why: withTrouble(why, attempt),
    hold: held === null ? null : heldByYard(job, held),
    ...(fruitless > 0 ? { fruitless } : {}),
    ...(stagnant > 0 ? { stagnant } : {}),
    ...(isFurther(run) ? { isFurther: true } : {}),
  });
}

/** Only restarts since it last got further count: what makes progress may go on for ever. */
function whyTooOften({ policy }: Turn, run: Run, why: string): string | null {
  const { restarts, restartsAtProgress = 0 } = run.job;
  if (isFurther(run) || restarts - restartsAtProgress < policy.maxRestarts) return null;
  if (restartsAtProgress === 0) return `started again ${restarts} times (${why})`;
  return `started again ${restarts - restartsAtProgress} times since it last got further (${why})`;
}

/** Where jobs can be in error, this is one. */
function heldByYard({ spec }: Job, reason: string): Hold {
  return { by: 'yard', reason, ...(spec.aftermath === undefined ? {} : { isError: true }) };
}
