/** Waiting for jobs to have ended, and not for ever. */

import type { JobId } from '../../model/ids.ts';
import { Fault } from '../../model/refusal.ts';

export interface AwaitedEnds {
  /** Rejects with a Fault when that takes too long. */
  endOf(job: JobId): Promise<void>;
  hasEnded(job: JobId): void;
  areAwaited(): boolean;
}

/** A disk that is full may keep an end from being written for long; who waits is better told. */
const LONGEST_WAIT_MS = 10_000;

export function awaitEnds(longestMs = LONGEST_WAIT_MS): AwaitedEnds {
  const awaited = new Map<JobId, Set<() => void>>();

  function endOf(job: JobId): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = awaited.get(job) ?? new Set();
      awaited.set(job, waiting);
      const late = setTimeout(() => {
        waiting.delete(ended);
        if (waiting.size === 0) awaited.delete(job);
        reject(new Fault(`the end of job ${job} could not be written down yet`, true));
      }, longestMs);
      const ended = () => {
        clearTimeout(late);
        resolve();
      };
      waiting.add(ended);
    });
  }

  return {
    endOf,
    hasEnded(job) {
      const waiting = awaited.get(job) ?? [];
      awaited.delete(job);
      for (const ended of waiting) ended();
    },
    areAwaited: () => awaited.size > 0,
  };
}
