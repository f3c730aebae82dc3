/** What can still be changed about a job, and what follows from the change for it and for others. */

import type { JobChanges } from '../../model/command.ts';
import type { JobId, JobRef } from '../../model/ids.ts';
import { displayId, type Job } from '../../model/job.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { familyOf, waitsFor } from '../dependencies.ts';
import { queueNamed } from '../priority.ts';
import { whyImpossible } from '../schedule/possible.ts';
import { jobOf, namesakeKey } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { alreadyEnded, find, isRefusal, mayControl, notYours, settle } from './find.ts';
import { longerThanAllowed, noSuchQueue, phaseWhenFree } from './submit.ts';
import { settleWaiting, wakeSingletons } from './waiting.ts';

export function update(turn: Turn, target: JobRef, by: string, changes: JobChanges): JobId | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  if (!mayControl(found.job, by)) return notYours(found.job);
  if (found.job.phase === 'ended') return alreadyEnded(found.job, 'changed');
  const refused = unfit(turn, found.job, changes);
  if (refused !== null) return refused;
  const job = settle(turn, found);
  record(turn, { type: 'jobUpdated', job: job.id, changes, by });
  if (changes.beginAt !== undefined || changes.dependencies !== undefined || changes.name !== undefined)
    settleAgain(turn, job.id);
  // Those that waited to be the only one of the old name have one namesake less.
  if (changes.name !== undefined) wakeSingletons(turn, namesakeKey(job));
  return job.id;
}

function unfit(turn: Turn, job: Job, changes: JobChanges): Refusal | null {
  return (
    unfitQueue(turn, job, changes) ??
    unfitLimit(turn, job, changes) ??
    unfitThrottle(job, changes) ??
    unfitDependencies(turn, job, changes)
  );
}

function unfitQueue(turn: Turn, job: Job, changes: JobChanges): Refusal | null {
  if (changes.queue === undefined) return null;
  const queue = queueNamed(turn.policy, changes.queue);
  if (queue === null) return noSuchQueue(changes.queue, turn.policy);
  if (job.phase === 'active')
    return refusal('wrongState', `job ${displayId(job)} is running and cannot change its queue`);
  const impossible = whyImpossible(turn.state, queue, { ...job.spec, queue: queue.name });
  return impossible === null ? null : refusal('neverPossible', impossible);
}

function unfitLimit(turn: Turn, job: Job, changes: JobChanges): Refusal | null {
  if (changes.limitMs === undefined && changes.queue === undefined) return null;
  const limitMs = changes.limitMs === undefined ? job.spec.limitMs : changes.limitMs;
  if (limitMs !== null && !(limitMs > 0))
    return refusal('badRequest', 'a time limit must be more than nothing');
  const queue = queueNamed(turn.policy, changes.queue ?? job.spec.queue);
  return queue === null ? null : longerThanAllowed(queue, limitMs);
}

function unfitThrottle(job: Job, { throttle }: JobChanges): Refusal | null {
  if (throttle === undefined) return null;
  if (job.array === null) return refusal('wrongState', `job ${displayId(job)} is not an array`);
  if (throttle === null || (Number.isSafeInteger(throttle) && throttle >= 1)) return null;
  return refusal('badRequest', `an array cannot run ${throttle} elements at once`);
}

function unfitDependencies(turn: Turn, job: Job, { dependencies }: JobChanges): Refusal | null {
  for (const term of dependencies?.terms ?? []) {
    if (term.kind === 'singleton') continue;
    const target = turn.state.jobs.get(term.job);
    if (target === undefined) return refusal('noSuchJob', `there is no job ${term.job} to depend on`);
    if (familyOf(target) === familyOf(job))
      return refusal('badRequest', `job ${displayId(job)} cannot depend on itself`);
    if (waitsFor(turn.state, target, familyOf(job)))
      return refusal(
        'badRequest',
        `job ${term.job} already waits for job ${displayId(job)}, so neither would ever start`,
      );
  }
  return null;
}

/** What was changed may mean waiting again, or no longer. */
function settleAgain(turn: Turn, id: JobId): void {
  if (jobOf(turn.state, id).phase === 'pending' && phaseWhenFree(turn, id) === 'waiting')
    record(turn, { type: 'jobWaiting', job: id });
  settleWaiting(turn, id);
}
