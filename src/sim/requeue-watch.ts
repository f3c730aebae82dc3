/**
 * What must be true of simulated jobs that the yard's exit codes queue again: one whose runs are short and bring it no
 * further runs only so often in a row, and one that made progress is never held for that. Counts the runs from their
 * records. Throws when something is not.
 */

import type { YardState } from '../core/state.ts';
import type { Event } from '../model/event.ts';
import type { AttemptId, JobId } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import { invariant } from '../model/refusal.ts';
import type { Store } from '../store/store.ts';
import { isShortRunHold } from './report.ts';

export interface RequeueWatch {
  happened(event: Event, state: YardState): void;
}

export function requeueWatch(store: Store, policy: Policy): RequeueWatch {
  const lastEnded = new Map<JobId, AttemptId>();
  /** Short runs in a row, by job. */
  const inARow = new Map<JobId, number>();

  function isShort(job: JobId): boolean {
    const id = lastEnded.get(job);
    const run = store.attempts(job).find((attempt) => attempt.id === id);
    invariant(run !== undefined, `job ${job} was queued again without a run`);
    const { startedAt, endedAt, suspendedMs } = run;
    if (startedAt === null || endedAt === null) return true;
    return endedAt - startedAt - suspendedMs < policy.fruitlessUnderMs;
  }

  function queuedAgain(event: Extract<Event, { type: 'jobRequeued' }>, isChained: boolean): void {
    const { job, askedAgain, hold, isFurther = false } = event;
    if (askedAgain?.rule !== 'exitCodes' || isChained) return void inARow.delete(job);
    const runs = isFurther || !isShort(job) ? 0 : (inARow.get(job) ?? 0) + 1;
    inARow.set(job, runs);
    const isEnough = runs >= policy.maxFruitless;
    invariant(!isEnough || hold !== null, `job ${job} goes on after ${runs} short runs in a row`);
    invariant(
      !isShortRunHold(event) || isEnough,
      `job ${job} is held for short runs, and has had ${runs} in a row`,
    );
  }

  return {
    happened(event, state) {
      if (event.type === 'attemptEnded') lastEnded.set(event.job, event.attempt);
      // Somebody released it.
      if (event.type === 'jobPending' || event.type === 'jobWaiting') inARow.delete(event.job);
      if (event.type === 'jobRequeued') queuedAgain(event, state.jobs.get(event.job)?.spec.chain === true);
    },
  };
}
