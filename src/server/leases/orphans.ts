/**
 * Leases that an earlier daemon of this yard had given out or had in its queue. Their clients come back within moments:
 * who held one names it, and who waited asks for the same again and gets the place in line that it had. What nobody
 * comes back for is taken back.
 */

import { LIVE_PHASES } from '../../dialects/native/states.ts';
import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import { ANY_JOB } from '../../model/query.ts';
import type { Yard } from '../yard.ts';
import { isLease, isWhatWasWished, type LeaseClient, type LeaseWish } from './lease.ts';

export interface KeptFromBefore {
  /** The first that this client waited for and that is like its wish; it is the client's from now on. */
  taken(wish: LeaseWish, client: LeaseClient): JobId | null;
  forget(job: JobId): void;
  size(): number;
  close(): void;
}

interface Kept {
  readonly job: Job;
  readonly patience: NodeJS.Timeout;
}

const WAITING_PATIENCE_MS = 30_000;
/** A program that compiles or loads something big may not get round to it for a while, and uses its device all along. */
const HELD_PATIENCE_MS = 300_000;

export function keptFromBefore(yard: Yard, giveUp: (job: JobId) => void): KeptFromBefore {
  const kept = new Map<JobId, Kept>();
  const views = yard.query('jobs', {
    ...ANY_JOB,
    phases: LIVE_PHASES,
    limit: Number.MAX_SAFE_INTEGER,
  });
  for (const { job } of views) if (isLease(job)) keep(job);

  function keep(job: Job): void {
    const late = () => {
      kept.delete(job.id);
      giveUp(job.id);
    };
    const patience = setTimeout(late, wasGranted(job) ? HELD_PATIENCE_MS : WAITING_PATIENCE_MS);
    patience.unref();
    kept.set(job.id, { job, patience });
  }

  function forget(id: JobId): void {
    clearTimeout(kept.get(id)?.patience);
    kept.delete(id);
  }

  return {
    taken(wish, client) {
      for (const { job } of kept.values()) {
        if (wasGranted(job) || !isWhatWasWished(job, wish, client)) continue;
        forget(job.id);
        return job.id;
      }
      return null;
    },
    forget,
    size: () => kept.size,
    close() {
      for (const id of [...kept.keys()]) forget(id);
    },
  };
}

/** Its client may know of it. One that has started since then is known to nobody. */
function wasGranted({ attempt }: Job): boolean {
  return attempt !== null && attempt.startedAt !== null;
}
