/** What was seen of an attempt's checkpoints and scratch, and the end of its processes where something is kept. */

import type { Observation } from '../../model/command.ts';
import type { JobId } from '../../model/ids.ts';
import { isUnderWay } from '../../model/job.ts';
import { learnFromEnd } from '../footprints/learn.ts';
import { isNewer } from '../keeping.ts';
import { record, type Turn } from '../turn.ts';
import { requestStop } from './control.ts';
import { currentAttempt, unsettledAttempt } from './find.ts';
import { endStepsOf } from './steps.ts';

type Seen<T extends Observation['type']> = Extract<Observation, { type: T }>;

/** Its place is free from now on; the job has not ended before what it left is safe. */
export function attemptSyncing(turn: Turn, seen: Seen<'attemptSyncing'>): JobId | null {
  const found = currentAttempt(turn, seen.attempt);
  if (found === null || !isUnderWay(found.attempt)) return null;
  const { job, attempt } = found;
  const { exit, usage, fault } = seen;
  endStepsOf(turn, job, attempt);
  record(turn, { type: 'attemptSyncing', job: job.id, attempt: attempt.id, exit, usage, fault });
  learnFromEnd(turn, job, attempt, exit, usage);
  return job.id;
}

/**
 * Older ones are copied after newer ones: only what brings the job further is news. What could not be made safe at the
 * end of an attempt may be so later.
 */
export function checkpointKept(turn: Turn, seen: Seen<'checkpointKept'>): JobId | null {
  const found = unsettledAttempt(turn, seen.attempt);
  if (found === null || !isNewer(seen.checkpoint, found.job.checkpoint)) return null;
  const { attempt, checkpoint } = seen;
  record(turn, { type: 'checkpointKept', job: found.job.id, attempt, checkpoint });
  return found.job.id;
}

export function checkpointTrouble(turn: Turn, seen: Seen<'checkpointTrouble'>): JobId | null {
  const found = unsettledAttempt(turn, seen.attempt);
  if (found === null || (found.attempt.trouble ?? null) === seen.trouble) return null;
  const { attempt, trouble } = seen;
  record(turn, { type: 'checkpointTroubled', job: found.job.id, attempt, trouble });
  return found.job.id;
}

export function overScratch(turn: Turn, seen: Seen<'overScratch'>): JobId | null {
  const found = currentAttempt(turn, seen.attempt);
  if (found === null || !isUnderWay(found.attempt)) return null;
  requestStop(turn, found.job.id, 'scratch', null);
  return found.job.id;
}
