/** How the record of an array follows what becomes of its elements. Decides nothing. */

import type { JobId } from '../model/ids.ts';
import type { ArrayProgress, Job, Outcome } from '../model/job.ts';
import { countOf, EMPTY, without } from '../model/ranges.ts';
import { invariant } from '../model/refusal.ts';
import { jobOf, putJob, type YardState } from './state.ts';

export function splitElement(state: YardState, id: JobId, arrayId: JobId, index: number): void {
  const array = jobOf(state, arrayId);
  invariant(array.array !== null, `job ${arrayId} is not an array`);
  state.nextJobId = Math.max(state.nextJobId, id + 1);
  const unstarted = without(array.array.unstarted, index);
  putJob(state, { ...array, id, array: null, element: { array: arrayId, index } });
  putJob(state, {
    ...array,
    ...(unstarted.length === 0 ? ALL_STARTED : {}),
    array: { ...array.array, unstarted, live: array.array.live + 1 },
  });
}

/** An array without unstarted elements only waits for those it has: there is nothing left to hold. */
const ALL_STARTED = { phase: 'active', hold: null } as const;

export function dropUnstarted(state: YardState, id: JobId, outcome: Outcome): void {
  const job = jobOf(state, id);
  invariant(job.array !== null, `job ${id} is not an array`);
  const { unstarted, ended } = job.array;
  const count = (ended[outcome] ?? 0) + countOf(unstarted);
  putJob(state, {
    ...job,
    ...ALL_STARTED,
    array: { ...job.array, unstarted: EMPTY, dropped: unstarted, ended: { ...ended, [outcome]: count } },
  });
}

/** An element ended (or was revived): its array keeps count. */
export function countElement(state: YardState, job: Job, outcome: Outcome, sign: 1 | -1): void {
  if (job.element === null) return;
  const array = jobOf(state, job.element.array);
  invariant(array.array !== null, `job ${array.id} is not an array`);
  const ended = { ...array.array.ended, [outcome]: (array.array.ended[outcome] ?? 0) + sign };
  if (ended[outcome] === 0) delete ended[outcome];
  const progress: ArrayProgress = { ...array.array, live: array.array.live - sign, ended };
  const revives = sign === -1 && array.phase === 'ended';
  putJob(state, {
    ...array,
    array: progress,
    ...(revives ? { phase: 'active', outcome: null, endedAt: null, note: null, endedBy: null } : {}),
  });
}
