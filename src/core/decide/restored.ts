/**
 * What follows from a store that was put back from a backup. What ran since the backup was made is not on record, so
 * whatever waits may have run already, and an attempt that nobody has a claim of has ended. Nothing of it runs again
 * before somebody says so.
 */

import type { AttemptId } from '../../model/ids.ts';
import { type Attempt, type Hold, isLive, type Job } from '../../model/job.ts';
import { record, type Turn } from '../turn.ts';
import { endJob } from './ending.ts';
import { leaveIfEmpty } from './leaving.ts';
import { endStepsOf } from './steps.ts';

/** `backupOf`: its time, in words. `claimed`: the attempts whose files are there; these tell how they went. */
export function storeRestored(turn: Turn, backupOf: string, claimed: readonly AttemptId[]): null {
  const known = new Set(claimed);
  const reason = `the store was put back from a backup of ${backupOf}, and it may have run since then`;
  const hold: Hold = { by: 'yard', reason };
  for (const job of [...turn.state.jobs.values()]) {
    if (isLive(job.attempt)) {
      if (!known.has(job.attempt.id)) loseTrackOf(turn, job, job.attempt, hold);
    } else if (job.phase === 'waiting' || job.phase === 'pending') {
      record(turn, { type: 'jobHeld', job: job.id, hold });
    }
  }
  return null;
}

function loseTrackOf(turn: Turn, job: Job, attempt: Attempt, hold: Hold): void {
  const reason = 'its end is not in the backup that the store was put back from';
  endStepsOf(turn, job, attempt);
  record(turn, { type: 'attemptLost', job: job.id, attempt: attempt.id, reason });
  leaveIfEmpty(
    turn,
    attempt.placement.nodes.map(({ node }) => node),
  );
  // Only whoever asked for the place could run something in it again.
  if (job.spec.program.spread === 'caller') endJob(turn, job.id, 'nodeLost', reason, null);
  else record(turn, { type: 'jobRequeued', job: job.id, why: reason, hold });
}
