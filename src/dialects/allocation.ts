/**
 * Getting a place for a caller that will use it itself, as `srun`, `salloc` and `qrsh` do: the job is waited for, and
 * taken back when the caller gives up. How it is handed in, what is said and what is done in the place is not known here.
 */

import type { UserCommand } from '../model/command.ts';
import type { JobId } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import type { Program } from '../model/job-spec.ts';
import {
  type Asking,
  awaitChangeOrSignal,
  clock,
  command,
  giveTicket,
  type Invocation,
  printErr,
  query,
  whenCallerGoes,
} from './program.ts';

export interface Allocation {
  readonly job: Job;
  readonly attempt: Attempt;
}

/** What a command says while it waits, in its own words. Whole lines. */
export interface WaitingMessages {
  readonly queued: (job: JobId, isHeld: boolean) => readonly string[];
  readonly allocated: (job: JobId) => readonly string[];
  /** There was no place at once. */
  readonly busy: (job: JobId) => readonly string[];
  /** There was no place in the time that the caller had for it. */
  readonly late: (job: JobId) => readonly string[];
  /** The caller gave up. */
  readonly interrupted: (job: JobId) => readonly string[];
  /** Somebody else ended the job. */
  readonly revoked: (job: JobId) => readonly string[];
}

export interface AllocationCustoms {
  readonly user: string;
  readonly messages: WaitingMessages;
  /** Says nothing that is not an error. */
  readonly quiet: boolean;
  /** How long to wait for a place: 0 is not at all, null is as long as it takes. */
  readonly patienceMs: number | null;
  /** The exit code when there is no place in that time. */
  readonly exitImpatient: number;
  readonly exitError: number;
  /** What ends the command, with what it says. */
  readonly failure: (lines: readonly string[], exitCode: number) => Error;
}

/** Nothing that the yard would start: the place is for the one who asks. */
export function callersProgram({ umask, ulimits, process }: Invocation, argv: readonly string[]): Program {
  return { script: null, argv, environment: '', umask, ulimits, spread: 'caller', caller: process };
}

/** What a caller brings to the next yard: the job that it waits for, and whether it has said so. */
interface Ticket {
  readonly job: JobId;
  readonly isTold: boolean;
}

/** Waits for the place of a job that was just handed in. */
export function awaitAllocation(job: JobId, customs: AllocationCustoms): Asking<Allocation> {
  return awaitPlace({ job, isTold: false }, customs);
}

/** Goes on waiting for the job that an earlier yard was asked for; null when the ticket names none. */
export function allocateAgain(ticket: string, customs: AllocationCustoms): Asking<Allocation> | null {
  const match = /^(\d{1,15})( told)?$/.exec(ticket);
  if (match === null) return null;
  return awaitPlace({ job: Number(match[1]), isTold: match[2] !== undefined }, customs);
}

function* awaitPlace(ticket: Ticket, customs: AllocationCustoms): Asking<Allocation> {
  const { messages, patienceMs } = customs;
  const { job: id } = ticket;
  let { isTold } = ticket;
  yield* whenCallerGoes(cancelling(id, customs));
  yield* giveTicket(`${id}${isTold ? ' told' : ''}`);
  const until = patienceMs === null ? null : (yield* clock()) + patienceMs;
  for (;;) {
    const job = yield* look(id, customs);
    const place = placeOf(job);
    if (place !== null) {
      if (isTold) yield* say(messages.allocated(id), customs);
      return place;
    }
    if (job.phase !== 'active' && !isTold) {
      if (patienceMs === 0) yield* giveUp(id, messages.busy(id), customs.exitImpatient, customs);
      yield* say(messages.queued(id, job.phase === 'held'), customs);
      isTold = true;
      yield* giveTicket(`${id} told`);
    }
    // One that has a place and is about to begin is not late.
    const leftMs = until === null || job.phase === 'active' ? null : until - (yield* clock());
    if (leftMs !== null && leftMs <= 0) {
      yield* giveUp(id, messages.late(id), customs.exitImpatient, customs);
    }
    const signal = yield* awaitChangeOrSignal([id], leftMs);
    if (signal !== null) yield* giveUp(id, messages.interrupted(id), customs.exitError, customs);
  }
}

function* giveUp(
  id: JobId,
  lines: readonly string[],
  exitCode: number,
  customs: AllocationCustoms,
): Asking<never> {
  yield* command(cancelling(id, customs));
  throw customs.failure(lines, exitCode);
}

/** A job that is over before it ever had a place was taken away by somebody else. */
function* look(id: JobId, { messages, exitError, failure }: AllocationCustoms): Asking<Job> {
  const detail = yield* query('job', { ref: { job: id, index: null } });
  if (detail === null || detail.view.job.phase === 'ended') throw failure(messages.revoked(id), exitError);
  return detail.view.job;
}

/** Null while it has none. */
function placeOf(job: Job): Allocation | null {
  const { attempt, phase } = job;
  return phase === 'active' && attempt !== null && attempt.startedAt !== null ? { job, attempt } : null;
}

function cancelling(job: JobId, { user }: AllocationCustoms): UserCommand {
  return { type: 'cancel', target: { job, index: null }, by: user };
}

function* say(lines: readonly string[], { quiet }: AllocationCustoms): Asking<void> {
  if (!quiet) yield* printErr(lines.map((line) => `${line}\n`).join(''));
}
