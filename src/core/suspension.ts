/**
 * How suspending and resuming change an attempt. It is suspended as long as anybody wants it to be: whoever suspended
 * the job, or whoever suspended its queue. Decides nothing.
 */

import type { Attempt, SuspensionCause } from '../model/job.ts';

/** Why it is suspended, or will be. */
export function suspensionCauses({ suspendedFor, suspendedAt }: Attempt): readonly SuspensionCause[] {
  return suspendedFor ?? (suspendedAt === null ? [] : ['job']);
}

export function announced(attempt: Attempt, cause: SuspensionCause, suspendAt: number): Partial<Attempt> {
  return { suspendAt, suspendedFor: withCause(attempt, cause) };
}

export function suspended(
  attempt: Attempt,
  cause: SuspensionCause | undefined,
  at: number,
): Partial<Attempt> {
  const suspendedFor = withCause(attempt, cause ?? 'job');
  if (attempt.suspendedAt !== null) return { suspendedFor };
  return { suspendedFor, suspendAt: null, suspendedAt: at, suspensions: attempt.suspensions + 1 };
}

export function resumed(attempt: Attempt, cause: SuspensionCause | undefined, at: number): Partial<Attempt> {
  const left = suspensionCauses(attempt).filter((each) => cause !== undefined && each !== cause);
  if (left.length > 0) return { suspendedFor: left };
  const { suspendedAt, suspendedMs, suspensions, clockFrom } = attempt;
  if (suspendedAt === null) return { suspendedFor: [], suspendAt: null };
  const forMs = at - suspendedAt;
  return {
    suspendedFor: [],
    suspendAt: null,
    suspendedAt: null,
    suspensions: suspensions + 1,
    suspendedMs: suspendedMs + forMs,
    clockFrom: clockFrom === null ? null : clockFrom + forMs,
  };
}

function withCause(attempt: Attempt, cause: SuspensionCause): readonly SuspensionCause[] {
  const causes = suspensionCauses(attempt);
  return causes.includes(cause) ? causes : [...causes, cause];
}
