/**
 * What engines saw. Reports come late, twice, or about attempts of long ago: whatever does not concern the
 * current attempt, or says nothing new, changes nothing.
 */

import type { Observation } from '../../model/command.ts';
import type { AttemptId, JobId, NodeName } from '../../model/ids.ts';
import {
  type Attempt,
  type Exit,
  isUnderWay,
  type Job,
  type Outcome,
  type Stop,
  type Usage,
} from '../../model/job.ts';
import { formatBytes } from '../../model/units.ts';
import { learnFromEnd } from '../footprints/learn.ts';
import { preemptModeOf } from '../precedence.ts';
import { queueState } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { type Run, withTrouble } from './advance.ts';
import { requestStop } from './control.ts';
import { endJob, hasSucceeded } from './ending.ts';
import { currentAttempt } from './find.ts';
import { leaveIfEmpty } from './leaving.ts';
import { ranOutOfDevice, runsAgainAlone } from './out-of-device.ts';
import { comesBack, goOn, startAgain, startAnew } from './run-again.ts';
import { endStepsOf } from './steps.ts';
import { suspendAttempt } from './suspending.ts';

export function attemptRunning(
  turn: Turn,
  { attempt: id, forMs, loweredLimits }: Extract<Observation, { type: 'attemptRunning' }>,
): JobId | null {
  const found = currentAttempt(turn, id);
  if (found === null || !isUnderWay(found.attempt)) return null;
  if (found.attempt.startedAt !== null) return timeAgain(turn, found.job, found.attempt, forMs);
  // Not before it was assigned; and not in the future, should the clock have been set back since.
  const earliest = Math.min(found.attempt.assignedAt, turn.now);
  const startedAt = Math.max(earliest, turn.now - Math.max(0, forMs));
  const lowered = loweredLimits === undefined ? {} : { loweredLimits };
  record(turn, { type: 'attemptStarted', job: found.job.id, attempt: id, startedAt, ...lowered });
  suspendWithQueue(turn, id);
  turn.news.push(found.job);
  return found.job.id;
}

/** Its queue was suspended before it had started. */
function suspendWithQueue(turn: Turn, id: AttemptId): void {
  const found = currentAttempt(turn, id);
  if (found === null || found.attempt.stop !== null) return;
  if (queueState(turn.state, found.job.spec.queue).suspended)
    suspendAttempt(turn, found.job, found.attempt, 'the yard', 'queue');
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
  const found = currentAttempt(turn, seen.attempt);
  if (found === null) return null;
  const { job, attempt } = found;
  const { progress } = seen;
  // What was seen when its processes had gone holds, whatever is known of it after another start of the daemon.
  const exit = attempt.exit ?? seen.exit;
  const fault = attempt.exit === null ? seen.fault : attempt.fault;
  const usage = attempt.usage ?? seen.usage;
  const told = progress === undefined ? {} : { progress };
  endStepsOf(turn, job, attempt);
  record(turn, { type: 'attemptEnded', job: job.id, attempt: attempt.id, exit, usage, fault, ...told });
  // What it used was learnt when its processes had gone.
  if (attempt.exit === null) learnFromEnd(turn, job, attempt, exit, usage);
  leaveIfEmpty(turn, nodesOf(attempt));
  conclude(turn, { job, attempt, ...told }, exit, fault, usage);
  return job.id;
}

export function attemptLost(turn: Turn, id: AttemptId, reason: string): JobId | null {
  const found = currentAttempt(turn, id);
  if (found === null) return null;
  loseAttempt(turn, found.job, found.attempt, reason);
  return found.job.id;
}

export function loseAttempt(turn: Turn, job: Job, attempt: Attempt, reason: string): void {
  endStepsOf(turn, job, attempt);
  record(turn, { type: 'attemptLost', job: job.id, attempt: attempt.id, reason });
  leaveIfEmpty(turn, nodesOf(attempt));
  const run = { job, attempt };
  if (attempt.stop !== null) afterStop(turn, run, attempt.stop, reason);
  // It had failed by itself; that what it left was lost changes nothing about that.
  else if (attempt.exit !== null && isKnown(attempt) && !hasSucceeded(attempt))
    conclude(turn, run, attempt.exit, attempt.fault, attempt.usage);
  else if (job.spec.requeue) startAgain(turn, run, reason);
  else endJob(turn, job.id, 'nodeLost', withTrouble(reason, attempt), null);
}

/** Of one whose processes vanished, nothing is known but that they are gone. */
function isKnown({ exit, fault }: Attempt): boolean {
  if (exit === null) return false;
  return exit.code !== null || exit.signal !== null || exit.outOfMemory || fault !== null;
}

function nodesOf({ placement }: Attempt): NodeName[] {
  return placement.nodes.map(({ node }) => node);
}

/** The attempt is over: is the job? */
function conclude(turn: Turn, run: Run, exit: Exit, fault: string | null, usage: Usage | null): void {
  const { job, attempt } = run;
  if (attempt.stop !== null) return afterStop(turn, run, attempt.stop, fault);
  const end = (outcome: Outcome, note: string | null = fault) =>
    endJob(turn, job.id, outcome, withTrouble(note, attempt), null);
  if (exit.outOfMemory) return end('outOfMemory');
  if (ranOutOfDevice(turn, attempt, exit)) {
    if (!runsAgainAlone(turn, run, usage)) end('deviceOutOfMemory');
    return;
  }
  if (exit.code === 0 && fault === null) return end('completed', null);
  if (diedOfWarning(run, exit)) return goOn(turn, run);
  if (!comesBack(turn, run, exit.code, fault)) end('failed');
}

/** It was told that its limit would come, and did not know what to do about it: for a chain that is the limit. */
function diedOfWarning({ job, attempt }: Run, { signal }: Exit): boolean {
  const { chain, warning } = job.spec;
  return chain === true && attempt.warning !== 'none' && signal !== null && signal === warning?.signal;
}

/** It was asked to stop, so what follows is decided by why, and not by how it went. */
function afterStop(turn: Turn, run: Run, stop: Stop, fault: string | null): void {
  const { job, attempt } = run;
  const end = (outcome: Outcome, note: string | null = fault) =>
    endJob(turn, job.id, outcome, withTrouble(note, attempt), stop.by);
  switch (stop.cause) {
    case 'cancelled':
      return end('cancelled');
    case 'timeLimit':
      return job.spec.chain === true ? goOn(turn, run) : end('timeout');
    case 'deadline':
      return end('deadline', 'its deadline came before its end');
    case 'memory':
      return end('outOfMemory');
    case 'scratch':
      return end('failed', overScratchNote(job));
    case 'requeued':
      return startAnew(turn, run, `requeued by ${stop.by ?? 'the yard'}`);
    case 'requeuedHeld':
      return record(turn, {
        type: 'jobRequeued',
        job: job.id,
        why: `requeued by ${stop.by ?? 'the yard'}`,
        hold: { by: 'user', reason: null },
      });
    case 'preempted': {
      const mode = preemptModeOf(turn.policy, job.spec);
      if (mode !== 'cancel' && job.spec.requeue) return startAgain(turn, run, 'preempted');
      return end('preempted');
    }
  }
}

function overScratchNote({ spec }: Job): string {
  const maxBytes = spec.keeping?.scratch?.maxBytes ?? null;
  const most = maxBytes === null ? 'it may' : `the ${formatBytes(maxBytes)} that it asked for`;
  return `it wrote more to its scratch directory than ${most}`;
}

export function warningSent(turn: Turn, id: AttemptId): JobId | null {
  const found = currentAttempt(turn, id);
  if (found === null || found.attempt.warning !== 'due') return null;
  record(turn, { type: 'warningSent', job: found.job.id, attempt: id });
  return found.job.id;
}

export function signalSent(turn: Turn, id: AttemptId, n: number): JobId | null {
  const found = currentAttempt(turn, id);
  if (found === null || !found.attempt.signals.some((signal) => signal.n === n)) return null;
  record(turn, { type: 'signalSent', job: found.job.id, attempt: id, n });
  return found.job.id;
}

export function overMemory(turn: Turn, id: AttemptId): JobId | null {
  const found = currentAttempt(turn, id);
  if (found === null || !isUnderWay(found.attempt)) return null;
  requestStop(turn, found.job.id, 'memory', null);
  return found.job.id;
}
