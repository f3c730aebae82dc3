/** What a yard has been doing since it was opened, in numbers. Nothing of it is kept. */

import type { YardState } from '../core/state.ts';
import type { Event } from '../model/event.ts';
import type { Outcome } from '../model/job.ts';
import type { YardActivity } from '../model/query.ts';
import { countOf } from '../model/ranges.ts';

export interface ActivityCounter {
  note(events: readonly Event[], state: YardState): void;
  /** One look of the scheduler at what waits. */
  notePlan(tookMs: number, waiting: number): void;
  read(): Omit<YardActivity, 'slices'>;
}

type Ending = 'completed' | 'cancelled' | 'failed';

const ENDINGS: Readonly<Record<Outcome, Ending>> = {
  completed: 'completed',
  failed: 'failed',
  timeout: 'failed',
  outOfMemory: 'failed',
  deviceOutOfMemory: 'failed',
  nodeLost: 'failed',
  cancelled: 'cancelled',
  preempted: 'cancelled',
  dependencyFailed: 'cancelled',
  deadline: 'cancelled',
};

export function countActivity(since: number): ActivityCounter {
  const jobs = { submitted: 0, started: 0, completed: 0, cancelled: 0, failed: 0 };
  const plans = { count: 0, lastMs: 0, maxMs: 0, totalMs: 0, waitingAtLast: 0 };

  function noteOne(event: Event, state: YardState): void {
    switch (event.type) {
      case 'jobSubmitted':
        jobs.submitted += event.spec.array === null ? 1 : countOf(event.spec.array.indices);
        return;
      case 'attemptAssigned':
        jobs.started += 1;
        return;
      case 'unstartedDropped':
        jobs[ENDINGS[event.outcome]] += countOf(state.jobs.get(event.job)?.array?.dropped ?? []);
        return;
      case 'jobEnded':
        // The elements of an array were counted one by one.
        if ((state.jobs.get(event.job)?.array ?? null) === null) jobs[ENDINGS[event.outcome]] += 1;
    }
  }

  return {
    note(events, state) {
      for (const event of events) noteOne(event, state);
    },
    notePlan(tookMs, waiting) {
      plans.count += 1;
      plans.lastMs = tookMs;
      plans.maxMs = Math.max(plans.maxMs, tookMs);
      plans.totalMs += tookMs;
      plans.waitingAtLast = waiting;
    },
    read: () => ({ since, jobs: { ...jobs }, plans: { ...plans } }),
  };
}
