/**
 * How suspending and resuming change an attempt. It is suspended as long as anybody wants it to be: whoever suspended
 * the job, whoever suspended its queue, or a job that needs its CPUs, which it lends meanwhile. Decides nothing.
 */

import type { JobId } from '../model/ids.ts';
import { type Attempt, hasLentCpus, type SuspensionCause } from '../model/job.ts';

/** Why it is suspended, or will be. */
export function suspensionCauses({ suspendedFor, suspendedAt }: Attempt): readonly SuspensionCause[] {
  return suspendedFor ?? (suspendedAt === null ? [] : ['job']);
}

export function announced(
  attempt: Attempt,
  { cause, suspendAt, forJob }: { cause: SuspensionCause; suspendAt: number; forJob?: JobId },
): Partial<Attempt> {
  return { suspendAt, suspendedFor: withCause(attempt, cause), ...room(forJob) };
}

export function suspended(
  attempt: Attempt,
  { cause = 'job', at, forJob }: { cause?: SuspensionCause; at: number; forJob?: JobId },
): Partial<Attempt> {
  const suspendedFor = withCause(attempt, cause);
  const lends = suspendedFor.includes('preemption') && !hasLentCpus(attempt);
  const changes = { suspendedFor, ...room(forJob), ...(lends ? { cpusLentAt: at } : {}) };
  if (attempt.suspendedAt !== null) return changes;
  return { ...changes, suspendAt: null, suspendedAt: at, suspensions: attempt.suspensions + 1 };
}

export function resumed(attempt: Attempt, cause: SuspensionCause | undefined, at: number): Partial<Attempt> {
  const left = suspensionCauses(attempt).filter((each) => cause !== undefined && each !== cause);
  const changes = { suspendedFor: left, ...hasCpusBack(attempt, cause, at) };
  if (left.length > 0) return changes;
  const { suspendedAt, suspendedMs, suspensions, clockFrom } = attempt;
  if (suspendedAt === null) return { ...changes, suspendAt: null };
  const forMs = at - suspendedAt;
  return {
    ...changes,
    suspendAt: null,
    suspendedAt: null,
    suspensions: suspensions + 1,
    suspendedMs: suspendedMs + forMs,
    clockFrom: clockFrom === null ? null : clockFrom + forMs,
  };
}

/**
 * Resumed for that very cause, it has them back. Resumed whatever it was suspended for, it is to end: others are on
 * its CPUs, so it goes on beside them for its grace, and counts as having none until it is gone.
 */
function hasCpusBack(attempt: Attempt, cause: SuspensionCause | undefined, at: number): Partial<Attempt> {
  const { makesRoomFor, cpusLentAt, cpusLentMs = 0 } = attempt;
  if (makesRoomFor == null) return {};
  if (cpusLentAt == null) return cause === undefined || cause === 'preemption' ? { makesRoomFor: null } : {};
  if (cause !== 'preemption') return {};
  return { makesRoomFor: null, cpusLentAt: null, cpusLentMs: cpusLentMs + at - cpusLentAt };
}

function room(forJob: JobId | undefined): Partial<Attempt> {
  return forJob === undefined ? {} : { makesRoomFor: forJob };
}

function withCause(attempt: Attempt, cause: SuspensionCause): readonly SuspensionCause[] {
  const causes = suspensionCauses(attempt);
  return causes.includes(cause) ? causes : [...causes, cause];
}
