/**
 * How long ended jobs stay in memory: a while, since people ask about what has just ended, but never so many
 * that a busy day fills it. They remain in the store and come back when somebody names them.
 */

import type { YardState } from '../core/state.ts';
import type { JobId } from '../model/ids.ts';
import { forgetEnded } from '../store/state-batch.ts';

export interface EndedInMemory {
  /** This one has ended, or was brought back, at that time. */
  note(job: JobId, at: number): void;
  evict(now: number): void;
}

const KEEP_MS = 60_000;
const MOST = 10_000;

export function endedInMemory(state: YardState): EndedInMemory {
  const noted = new Map<JobId, number>();
  for (const job of state.jobs.values()) if (job.phase === 'ended') noted.set(job.id, job.endedAt ?? 0);
  return {
    note(job, at) {
      // Taken out first, so that the order is that of the latest mention.
      noted.delete(job);
      noted.set(job, at);
    },
    evict(now) {
      let excess = noted.size - MOST;
      const leaving: JobId[] = [];
      for (const [job, at] of noted) {
        if (excess-- <= 0 && at > now - KEEP_MS) break;
        leaving.push(job);
      }
      for (const job of forgetEnded(state, leaving)) noted.delete(job);
      for (const job of leaving)
        if (!state.jobs.has(job) || state.jobs.get(job)?.phase !== 'ended') noted.delete(job);
    },
  };
}
