/** Which connections a lease is held or waited for by. */

import type { JobId } from '../../model/ids.ts';
import type { LeaseWord } from './lease.ts';

/** One connection, as the desk sees it. */
export interface LeaseLine {
  say(word: LeaseWord): void;
  end(): void;
}

export interface Holding {
  readonly job: JobId;
  /** The last one counts: those before it are of clients that have found a better one. */
  readonly lines: LeaseLine[];
  isGranted: boolean;
  /** What those who wait were last told. */
  sentence: string | null;
}

export type Holdings = Map<JobId, Holding>;

const byLine = new WeakMap<LeaseLine, Holding>();

export function newHolding(holdings: Holdings, job: JobId, line: LeaseLine): Holding {
  const holding = holdings.get(job) ?? { job, lines: [], isGranted: false, sentence: null };
  holding.lines.push(line);
  holdings.set(job, holding);
  byLine.set(line, holding);
  return holding;
}

/** Null: it is over. */
export function holdingOf(holdings: Holdings, line: LeaseLine): Holding | null {
  const holding = byLine.get(line);
  return holding !== undefined && holdings.get(holding.job) === holding ? holding : null;
}

export function forgetHolding(holdings: Holdings, { job }: Holding): void {
  holdings.delete(job);
}
