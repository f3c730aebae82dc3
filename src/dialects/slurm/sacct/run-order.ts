/**
 * The order of Slurm's database: by the second of submission, then those of no array, then the elements of each, those
 * without a record last. A key is what a run is sorted by, short enough to be held for very many runs.
 */

import type { Run } from './runs.ts';

export interface RunKey {
  readonly second: number;
  /** 0 for those of no array. */
  readonly array: number;
  /** Infinity: elements without a record. */
  readonly index: number;
  readonly id: number;
  /** Which run of the job; Infinity: it waits for one. */
  readonly n: number;
}

export function keyOf(run: Run): RunKey {
  return {
    second: secondOf(run.submittedAt),
    array: run.array?.jobId ?? 0,
    index: run.array === null ? 0 : (run.array.index ?? Number.POSITIVE_INFINITY),
    id: run.job.id,
    n: run.attempt?.n ?? Number.POSITIVE_INFINITY,
  };
}

export function secondOf(at: number): number {
  return Math.floor(at / 1000);
}

export function compareKeys(a: RunKey, b: RunKey): number {
  if (a.second !== b.second) return a.second - b.second;
  if (a.array !== b.array) return a.array - b.array;
  if (a.index !== b.index) return a.index < b.index ? -1 : 1;
  if (a.id !== b.id) return a.id - b.id;
  return a.n === b.n ? 0 : a.n < b.n ? -1 : 1;
}
