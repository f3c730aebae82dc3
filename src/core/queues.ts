/**
 * Which queues a job may start in, and which of them start jobs now. What a queue is comes from the policy, what was
 * decided about it from the state; nothing is decided here.
 */

import type { QueueName } from '../model/ids.ts';
import type { JobSpec } from '../model/job-spec.ts';
import { type Policy, type Queue, startsJobs } from '../model/policy.ts';
import { queueNamed } from './priority.ts';
import { queueState, type YardState } from './state.ts';

/** Those that are there, the preferred one first. */
export function queuesFor(policy: Policy, { queue, queueChoices }: JobSpec): readonly Queue[] {
  if (queueChoices === undefined) {
    const only = queueNamed(policy, queue);
    return only === null ? [] : [only];
  }
  return queueChoices.flatMap((name) => queueNamed(policy, name) ?? []);
}

export function isOpen(state: YardState, queue: Queue): boolean {
  return startsJobs(queue, queueState(state, queue.name));
}

/** Whether a queue lets jobs run for as long as this one wants to. */
export function allowsTimeOf({ maxLimitMs }: Queue, { limitMs }: Pick<JobSpec, 'limitMs'>): boolean {
  return maxLimitMs === null || (limitMs !== null && limitMs <= maxLimitMs);
}

/** In a queue of which it said nothing there is nothing to choose; of its choices one may be too short for it. */
export function mayStartIn(state: YardState, queue: Queue, spec: JobSpec): boolean {
  return isOpen(state, queue) && (spec.queueChoices === undefined || allowsTimeOf(queue, spec));
}

const moved = new WeakMap<JobSpec, Map<QueueName, JobSpec>>();

/** The same job in another queue. Elements of an array that move to the same one share what they become. */
export function specIn(spec: JobSpec, queue: QueueName): JobSpec {
  if (spec.queue === queue) return spec;
  let known = moved.get(spec);
  if (known === undefined) {
    known = new Map();
    moved.set(spec, known);
  }
  let result = known.get(queue);
  if (result === undefined) {
    result = { ...spec, queue };
    known.set(queue, result);
  }
  return result;
}
