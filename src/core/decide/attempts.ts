/**
 * What engines saw. Reports come late, twice, or about attempts of long ago: whatever does not concern the
 * current attempt, or says nothing new, changes nothing.
 */

import type { Observation } from '../../model/command.ts';
import { type AttemptId, type JobId, jobOfAttempt, type NodeName } from '../../model/ids.ts';
import {
  type Attempt,
  type Exit,
  type Hold,
  isLive,
  type Job,
  type Outcome,
  type Stop,
} from '../../model/job.ts';
import { formatDuration } from '../../model/units.ts';
import { queueNamed } from '../priority.ts';
import { record, type Turn } from '../turn.ts';
import { requestStop } from './control.ts';
import { endJob } from './ending.ts';
import { leaveIfEmpty } from './leaving.ts';
import { endStepsOf } from './steps.ts';

function current(turn: Turn, id: AttemptId): { job: Job; attempt: Attempt } | null {
  const job = turn.state.jobs.get(jobOfAttempt(id));
  if (job === undefined || job.attempt?.id !== id || !isLive(job.attempt)) return null;
  return { job, attempt: job.attempt };
}

export function attemptRunning(turn: Turn, id: AttemptId, forMs: number): JobId | null {
  const found = current(turn, id);
  if (found === null) return null;
  if (found.attempt.startedAt !== null) return timeAgain(turn, found.job, found.attempt, forMs);
  // Not before it was assigned; and not in the future, should the clock have been set back since.
  const earliest = Math.min(found.attempt.assignedAt, turn.now);
  const startedAt = Math.max(earliest, turn.now - Math.max(0, forMs));
  record(turn, { type: 'attemptStarted', job: found.job.id, attempt: id, startedAt });
  turn.news.push(found.job);
  return found.job.id;
}

/** A smaller difference is how long the report took to come. */
const TIMING_TOLERANCE_MS = 5_000;

/** A new daemon found it running: its limit counts the time that passed, whatever the clock did meanwhile. */
function timeAgain(turn: Turn, job: Job, attempt: Attempt, forMs: number): JobId | null {
  // What it spent suspended does not count; a suspension that still lasts is made up for when it is resumed.
  const clockFrom = turn.now - forMs + attempt.suspendedMs;
  if (attempt.clockFrom !== null && Math.abs(clockFrom - attempt.clockFrom) <= TIMING_TOLERANCE_MS)
    return null;
  record(turn, { type: 'attemptTimed', job: job.id, attempt: attempt.id, clockFrom });
  return job.id;
}

export function attemptEnded(turn: Turn, seen: Extract<Observation, { type: 'attemptEnded' }>): JobId | null {
  const found = current(turn, seen.attempt);
  if (found === null) return null;
  const { job, attempt } = found;
  const { exit, usage, fault } = seen;
  endStepsOf(turn, job, attempt);
  record(turn, { type: 'attemptEnded', job: job.id, attempt: attempt.id, exit, usage, fault });
  leaveIfEmpty(turn, nodesOf(attempt));
  conclude(turn, job, attempt, exit, fault);
  return job.id;
}

export function attemptLost(turn: Turn, id: AttemptId, reason: string): JobId | null {
  const found = current(turn, id);
  if (found === null) return null;
  loseAttempt(turn, found.job, found.attempt, reason);
  return found.job.id;
}

export function loseAttempt(turn: Turn, job: Job, attempt: Attempt, reason: string): void {
  endStepsOf(turn, job, attempt);
  record(turn, { type: 'attemptLost', job: job.id, attempt: attempt.id, reason });
  leaveIfEmpty(turn, nodesOf(attempt));
  if (attempt.stop !== null) afterStop(turn, job, attempt.stop, reason);
  else if (job.spec.requeue) startAgain(turn, job, reason);
  else endJob(turn, job.id, 'nodeLost', reason, null);
}

function nodesOf({ placement }: Attempt): NodeName[] {
  return placement.nodes.map(({ node }) => node);
}

/** The attempt is over: is the job? */
function conclude(turn: Turn, job: Job, attempt: Attempt, exit: Exit, fault: string | null): void {
  const { stop } = attempt;
  if (stop !== null) return afterStop(turn, job, stop, fault);
  const end = (outcome: Outcome, note: string | null = fault) => endJob(turn, job.id, outcome, note, null);
  if (exit.outOfMemory) return end('outOfMemory');
  if (exit.code === 0 && fault === null) return end('completed', null);
  if (exit.code !== null && asksForAnother(turn, job, exit.code))
    return runAgain(turn, job, attempt, exit.code);
  return end('failed');
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

/** Back to the queue, unless it is to be held, or gets nowhere: it would go round and round. */
function runAgain(turn: Turn, job: Job, attempt: Attempt, code: number): void {
  const { policy, now } = turn;
  const ranMs = now - (attempt.startedAt ?? now) - attempt.suspendedMs;
  const fruitless = ranMs < policy.fruitlessUnderMs ? job.fruitless + 1 : 0;
  const why = `exit code ${code} asks for another run`;
  const hold = policy.requeueHoldExitCodes.includes(code)
    ? `exit code ${code} asks to be held`
    : fruitless >= policy.maxFruitless
      ? `it asked for another run ${fruitless} times in a row, each time within ${formatDuration(policy.fruitlessUnderMs)} of starting`
      : null;
  if (hold === null) startAgain(turn, job, why, fruitless);
  else record(turn, { type: 'jobRequeued', job: job.id, why, hold: { by: 'yard', reason: hold }, fruitless });
}

/** It was asked to stop, so what follows is decided by why, and not by how it went. */
function afterStop(turn: Turn, job: Job, stop: Stop, fault: string | null): void {
  const end = (outcome: Outcome, note: string | null = fault) => endJob(turn, job.id, outcome, note, stop.by);
  switch (stop.cause) {
    case 'cancelled':
      return end('cancelled');
    case 'timeLimit':
      return end('timeout');
    case 'deadline':
      return end('deadline', 'its deadline came before its end');
    case 'memory':
      return end('outOfMemory');
    case 'requeued':
      return startAgain(turn, job, `requeued by ${stop.by ?? 'the yard'}`);
    case 'requeuedHeld':
      return record(turn, {
        type: 'jobRequeued',
        job: job.id,
        why: `requeued by ${stop.by ?? 'the yard'}`,
        hold: { by: 'user', reason: null },
      });
    case 'preempted': {
      const mode = queueNamed(turn.policy, job.spec.queue)?.preempt ?? 'requeue';
      if (mode !== 'cancel' && job.spec.requeue) return startAgain(turn, job, 'preempted');
      return end('preempted');
    }
  }
}

/** Back to the queue, unless it has been there too often. */
function startAgain(turn: Turn, job: Job, why: string, fruitless = 0): void {
  const tooOften = job.restarts >= turn.policy.maxRestarts;
  const hold: Hold | null = tooOften
    ? { by: 'yard', reason: `started again ${job.restarts} times (${why})` }
    : null;
  record(turn, { type: 'jobRequeued', job: job.id, why, hold, ...(fruitless > 0 ? { fruitless } : {}) });
}

export function warningSent(turn: Turn, id: AttemptId): JobId | null {
  const found = current(turn, id);
  if (found === null || found.attempt.warning !== 'due') return null;
  record(turn, { type: 'warningSent', job: found.job.id, attempt: id });
  return found.job.id;
}

export function signalSent(turn: Turn, id: AttemptId, n: number): JobId | null {
  const found = current(turn, id);
  if (found === null || !found.attempt.signals.some((signal) => signal.n === n)) return null;
  record(turn, { type: 'signalSent', job: found.job.id, attempt: id, n });
  return found.job.id;
}

export function overMemory(turn: Turn, id: AttemptId): JobId | null {
  const found = current(turn, id);
  if (found === null) return null;
  requestStop(turn, found.job.id, 'memory', null);
  return found.job.id;
}
