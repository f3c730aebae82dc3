/** Queues as partitions: which ones a job may start in or is in, and whether one of them is up. */

import type { Job } from '../../model/job.ts';
import { type Queue, startsJobs } from '../../model/policy.ts';
import type { QueueView } from '../../model/query.ts';

/** All that would do while it waits; the one that it is in from its start on. */
export function partitionsOf({ phase, spec }: Job): readonly string[] {
  const isWaiting = phase === 'held' || phase === 'waiting' || phase === 'pending';
  return isWaiting ? (spec.queueChoices ?? [spec.queue]) : [spec.queue];
}

/** With what was decided about it since the config was read. */
export function partitionOf({ queue, state }: QueueView): Queue {
  return { ...queue, open: startsJobs(queue, state) };
}
