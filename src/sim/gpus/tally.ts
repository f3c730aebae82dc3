/** What is counted of a simulation of shared devices. */

import type { YardState } from '../../core/state.ts';
import type { Event } from '../../model/event.ts';
import type { Outcome } from '../../model/job.ts';

export interface Counted {
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly starts: number;
  /** Starts with a part of a device. */
  readonly shared: number;
  readonly learners: number;
  readonly grown: number;
  /** Runs that wanted more memory of a device than there was. */
  readonly ranOut: number;
  /** From the first submission to the last end. */
  readonly makespanMs: number;
  /** From submission to end, of those that were completed. */
  readonly meanCompletionMs: number;
}

export interface Tally {
  follow(event: Event, after: YardState): void;
  report(): Counted;
}

export function newTally(): Tally {
  const outcomes: Partial<Record<Outcome, number>> = {};
  const counts = { starts: 0, shared: 0, learners: 0, grown: 0, ranOut: 0 };
  let firstAt = Number.POSITIVE_INFINITY;
  let lastAt = 0;
  let completionMs = 0;
  return {
    follow(event, { jobs }) {
      if (event.type === 'jobSubmitted') firstAt = Math.min(firstAt, event.at);
      if (event.type === 'attemptAssigned') {
        counts.starts++;
        const shares = event.placement.nodes.flatMap(({ devices }) => devices);
        if (shares.some(({ millis }) => millis < 1000)) counts.shared++;
        if (shares.some(({ learningOn }) => learningOn !== undefined)) counts.learners++;
      }
      if (event.type === 'deviceShareChanged' && event.because === 'grown') counts.grown++;
      if (event.type === 'attemptEnded' && event.exit.deviceOutOfMemory === true) counts.ranOut++;
      if (event.type !== 'jobEnded') return;
      const { array, submittedAt } = jobs.get(event.job) ?? { array: null, submittedAt: event.at };
      if (array !== null) return;
      outcomes[event.outcome] = (outcomes[event.outcome] ?? 0) + 1;
      lastAt = Math.max(lastAt, event.at);
      if (event.outcome === 'completed') completionMs += event.at - submittedAt;
    },
    report: () => ({
      outcomes,
      ...counts,
      makespanMs: Math.max(0, lastAt - firstAt),
      meanCompletionMs: completionMs / Math.max(1, outcomes.completed ?? 0),
    }),
  };
}
