/** When time alone will next matter to a job. */

import { isUnderWay, type Job } from '../model/job.ts';

/** The earliest such time; with `after`, the earliest later than that. */
export function dueAt(job: Job, after = Number.NEGATIVE_INFINITY): number | null {
  if (job.phase === 'ended') return null;
  // Elements that have a record carry the array's times themselves.
  if (job.array !== null && job.array.unstarted.length === 0) return null;
  // Its run is over: nothing but the end of what it left is to come.
  if (job.attempt?.phase === 'syncing') return null;
  if (isUnderWay(job.attempt) && job.attempt.stop !== null) {
    // It is being stopped already: only the end of its grace is left.
    return earliest(after, job.attempt.stop.step === 'term' ? job.attempt.stop.killAt : null);
  }
  return earliest(
    after,
    job.spec.deadlineAt,
    job.phase === 'waiting' ? job.spec.beginAt : null,
    limitAt(job),
    warningAt(job),
    suspendAt(job),
  );
}

/** When the live attempt's time is up. Nobody knows while it is suspended. */
export function limitAt(job: Job): number | null {
  if (!isUnderWay(job.attempt) || job.attempt.clockFrom === null || job.spec.limitMs === null) return null;
  if (job.attempt.suspendedAt !== null) return null;
  return job.attempt.clockFrom + job.spec.limitMs;
}

/** When its warning falls due, if it still has one coming. */
export function warningAt(job: Job): number | null {
  const { attempt, spec } = job;
  if (spec.warning === null || !isUnderWay(attempt) || attempt.warning !== 'none') return null;
  const { beforeMs, afterMs } = spec.warning;
  if (afterMs === undefined) {
    const limit = limitAt(job);
    return limit === null ? null : limit - beforeMs;
  }
  return attempt.clockFrom === null || attempt.suspendedAt !== null ? null : attempt.clockFrom + afterMs;
}

/** When it is suspended, after it has been told. */
export function suspendAt({ attempt }: Job): number | null {
  return isUnderWay(attempt) ? (attempt.suspendAt ?? null) : null;
}

function earliest(after: number, ...times: (number | null)[]): number | null {
  let first: number | null = null;
  for (const at of times) if (at !== null && at > after && (first === null || at < first)) first = at;
  return first;
}
