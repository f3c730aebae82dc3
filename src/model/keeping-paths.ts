/**
 * Where the kept directories of a job are, patterns filled in. Pure, since the yard, the agent and those who show it
 * must come to the same paths.
 */

import type { Attempt, Job } from './job.ts';
import type { LogsKept } from './keeping.ts';
import { fillPattern } from './pattern.ts';

export interface KeepingPaths {
  readonly checkpoints: string | null;
  readonly persist: string | null;
  readonly logs: readonly LogsKept[];
}

export const SCRATCH_VARIABLE = '$SCRATCH';

/** Without a scratch directory, what would be inside it stays as it is written. */
export function keepingPaths(
  job: Job,
  attempt: Pick<Attempt, 'id' | 'n'> | null,
  scratch: string | null,
): KeepingPaths {
  const { checkpoints = null, persist = null, logs = [] } = job.spec.keeping ?? {};
  const filled = (pattern: string) => {
    if (!isInScratch(pattern)) return fillPattern(pattern, job, attempt, null, 0);
    const rest = pattern.slice(SCRATCH_VARIABLE.length);
    return scratch === null
      ? pattern
      : fillPattern(`${scratch.replaceAll('%', '%%')}${rest}`, job, attempt, null, 0);
  };
  return {
    checkpoints: checkpoints === null ? null : filled(checkpoints),
    persist: persist === null ? null : filled(persist),
    logs: logs.map(({ from, to }) => ({ from: filled(from), to: filled(to) })),
  };
}

export function isInScratch(pattern: string): boolean {
  return pattern === SCRATCH_VARIABLE || pattern.startsWith(`${SCRATCH_VARIABLE}/`);
}

/** The directory in which the checkpoints of a job last, by which two jobs are kept apart; null: it has none. */
export function lastingPlace(
  job: Job,
  attempt: Pick<Attempt, 'id' | 'n'> | null = job.attempt,
): string | null {
  if (job.spec.keeping === undefined) return null;
  const { checkpoints, persist } = keepingPaths(job, attempt, null);
  const place = persist ?? checkpoints;
  return place === null || isInScratch(place) ? null : place;
}
