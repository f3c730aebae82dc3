/** When time alone will next matter to a job. */

import { isLive, type Job } from '../model/job.ts';

export function dueAt(job: Job): number | null {
  if (job.phase === 'ended') return null;
  if (isLive(job.attempt) && job.attempt.stop !== null) {
    // It is being stopped already: only the end of its grace is left.
    return job.attempt.stop.step === 'term' ? job.attempt.stop.killAt : null;
  }
  return earliest(
    job.spec.deadlineAt,
    job.phase === 'waiting' ? job.spec.beginAt : null,
    limitAt(job),
    warningAt(job),
  );
}

/** When the live attempt's time is up. */
export function limitAt(job: Job): number | null {
  if (!isLive(job.attempt) || job.attempt.clockFrom === null || job.spec.limitMs === null) return null;
  return job.attempt.clockFrom + job.spec.limitMs;
}

/** When its warning falls due, if it still has one coming. */
export function warningAt(job: Job): number | null {
  const limit = limitAt(job);
  if (limit === null || job.spec.warning === null || job.attempt?.warning !== 'none') return null;
  return limit - job.spec.warning.beforeMs;
}

function earliest(...times: (number | null)[]): number | null {
  let first: number | null = null;
  for (const at of times) if (at !== null && (first === null || at < first)) first = at;
  return first;
}
