/**
 * What becomes of a job after a run that went wrong, where that is not the end of it: it runs again, or it is held,
 * perhaps in error, until somebody has looked at it. What asks for that is in the yard's policy, or in the job itself.
 */

import type { AskedAgain, Hold, Job } from '../../model/job.ts';
import { type JobSpec, mayAskAgain } from '../../model/job-spec.ts';
import type { Policy } from '../../model/policy.ts';
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
    const asked = code === null ? null : askedOfYard(turn, job, code);
    if (asked === null) return false;
    runAgain(turn, run, asked);
    return true;
  }
  if (fault !== null && aftermath.faultsAreErrors) holdInError(turn, job, fault);
  else if (code !== null && aftermath.errorExitCodes.includes(code))
    holdInError(turn, job, `exit_status of job start = ${code}`);
  else if (code !== null && aftermath.againExitCodes.includes(code))
    runAgain(turn, run, { code, rule: 'own' });
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

/** Null: by the yard's rules the code asks for nothing. */
function askedOfYard({ policy }: Turn, { spec }: Job, code: number): AskedAgain | null {
  if (!mayAskAgain(spec)) return null;
  if (policy.requeueHoldExitCodes.includes(code)) return { code, rule: 'holdExitCodes' };
  return policy.requeueExitCodes.includes(code) ? { code, rule: 'exitCodes' } : null;
}

function holdInError(turn: Turn, job: Job, reason: string): void {
  record(turn, {
    type: 'jobRequeued',
    job: job.id,
    why: reason,
    hold: { by: 'yard', reason, isError: true },
  });
}

/** Back to the queue, unless it is to be held, or its runs are short and bring it no further. */
function runAgain(turn: Turn, run: Run, askedAgain: AskedAgain): void {
  const { code, rule } = askedAgain;
  const { underMs, most } = fruitlessLimits(turn.policy, run.job.spec);
  const fruitless = isFurther(run) || ranMs(turn, run) >= underMs ? 0 : run.job.fruitless + 1;
  const stagnant = stagnantNow(run);
  const reason =
    rule === 'holdExitCodes'
      ? `exit code ${code} asks to be held`
      : fruitless >= most
        ? whyFruitless(code, fruitless, underMs)
        : stagnant >= turn.policy.maxStagnant
          ? whyStagnant(run, stagnant, false)
          : null;
  again(turn, run, `exit code ${code} asks for another run`, reason, { fruitless, stagnant }, askedAgain);
}

/** A job that says itself that it goes on in further runs has more of them than one that only happens to exit so. */
const OWN_RULE = { underMs: 1_000, most: 10 };

function fruitlessLimits({ fruitlessUnderMs, maxFruitless }: Policy, { aftermath, chain }: JobSpec) {
  if (aftermath === undefined && chain !== true) return { underMs: fruitlessUnderMs, most: maxFruitless };
  return {
    underMs: Math.min(fruitlessUnderMs, OWN_RULE.underMs),
    most: Math.max(maxFruitless, OWN_RULE.most),
  };
}

function ranMs({ now }: Turn, { attempt }: Run): number {
  return (attempt.endedAt ?? now) - (attempt.startedAt ?? now) - attempt.suspendedMs;
}

function whyFruitless(code: number, runs: number, underMs: number): string {
  const which = runs === 1 ? 'its last run' : `${runs} runs in a row`;
  return `${which} ended with exit code ${code}, which asks for another run, within ${formatDuration(underMs)} of starting: see what its output says, then release it`;
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
  askedAgain: AskedAgain | null = null,
): void {
  const { job, attempt } = run;
  const held = reason ?? whyTooOften(turn, run, why);
  record(turn, {
    type: 'jobRequeued',
    job: job.id,
    why: withTrouble(why, attempt),
    hold: held === null ? null : heldByYard(job, held),
    ...(fruitless > 0 ? { fruitless } : {}),
    ...(askedAgain === null ? {} : { askedAgain }),
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
function heldByYard({ spec: { aftermath } }: Job, reason: string): Hold {
  const canBeInError =
    aftermath !== undefined && (aftermath.faultsAreErrors || aftermath.errorExitCodes.length > 0);
  return { by: 'yard', reason, ...(canBeInError ? { isError: true } : {}) };
}
