/** Jobs that wait for others or for a time: what follows when one of those happens. */

import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import { indicesOf } from '../../model/ranges.ts';
import { dependencyStanding, isPairwise } from '../dependencies.ts';
import { jobOf, namesakeKey } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { endJob } from './ending.ts';
import { split } from './find.ts';

/** Looks again at a waiting job: it may go, it never will, or it waits on. */
export function settleWaiting(turn: Turn, id: JobId): void {
  const job = jobOf(turn.state, id);
  if (job.phase !== 'waiting') return;
  if (isPairwise(turn.state, job)) return settlePairs(turn, job);
  const standing = dependencyStanding(turn.state, job, null);
  if (standing === 'never') return endJob(turn, id, 'dependencyFailed', DEPENDENCY_FAILED, null);
  if (standing === 'met' && timeHasCome(turn, job)) record(turn, { type: 'jobPending', job: id });
}

/** Two arrays element by element: each goes as soon as its counterpart allows. */
function settlePairs(turn: Turn, array: Job): void {
  if (!timeHasCome(turn, array)) return;
  for (const index of indicesOf(array.array?.unstarted ?? [])) {
    const standing = dependencyStanding(turn.state, array, index);
    if (standing === 'unmet') continue;
    const element = split(turn, array.id, index);
    if (standing === 'met') record(turn, { type: 'jobPending', job: element.id });
    else endJob(turn, element.id, 'dependencyFailed', DEPENDENCY_FAILED, null);
  }
}

const DEPENDENCY_FAILED = 'what it depended on can no longer happen';

/** A job began or ended: those that wait for it are looked at again. */
export function wakeDependents(turn: Turn, job: Job): void {
  const ids = new Set<JobId>(turn.state.dependents.get(job.id));
  if (job.element !== null) for (const id of turn.state.dependents.get(job.element.array) ?? []) ids.add(id);
  if (job.phase === 'ended') for (const id of turn.state.namesakes.get(namesakeKey(job)) ?? []) ids.add(id);
  for (const id of ids) settleWaiting(turn, id);
}

function timeHasCome({ now }: Turn, { spec }: Job): boolean {
  return spec.beginAt === null || spec.beginAt <= now;
}
