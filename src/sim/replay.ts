/** That the log alone gives what a simulated yard had come to in the end. Throws when it does not. */

import { isDeepStrictEqual } from 'node:util';
import { apply } from '../core/apply.ts';
import { newState, type YardState } from '../core/state.ts';
import type { JobId, NodeName, QueueName } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import type { Node } from '../model/node.ts';
import type { QueueState } from '../model/policy.ts';
import { invariant } from '../model/refusal.ts';
import type { Store, UserUsage } from '../store/store.ts';

/** All that was committed, as it was last. */
export interface Committed {
  readonly jobs: ReadonlyMap<JobId, Job>;
  readonly nodes: ReadonlyMap<NodeName, Node>;
  readonly queues: ReadonlyMap<QueueName, QueueState>;
  readonly usage: ReadonlyMap<string, UserUsage>;
  readonly nextJobId: number;
}

export function replays(store: Store, committed: Committed): void {
  const { jobs, nodes, queues, usage, nextJobId } = committed;
  const again = newState();
  const log = { job: null, afterSeq: 0, limit: Number.POSITIVE_INFINITY, newest: false };
  for (const { event } of store.events(log)) apply(again, event);
  invariant(again.nextJobId === nextJobId, 'the replayed log gives another next number');
  invariant(isDeepStrictEqual(again.nodes, nodes), 'the replayed log gives other nodes');
  invariant(isDeepStrictEqual(again.queues, queues), 'the replayed log gives other queues');
  jobsReplay(store, again, jobs);
  stepsReplay(store, again, jobs);
  for (const [user, { amount, at }] of usage)
    invariant(
      isDeepStrictEqual(again.usage.get(user), { amount, at }),
      `the replayed log gives another usage of ${user}`,
    );
}

function jobsReplay(store: Store, again: YardState, jobs: Committed['jobs']): void {
  const attempts = new Map<JobId, Map<number, Attempt>>();
  for (const { job, attempt } of again.touched.attempts.values()) {
    const ofJob = attempts.get(job) ?? new Map<number, Attempt>();
    attempts.set(job, ofJob.set(attempt.n, attempt));
  }
  for (const [id, job] of jobs) {
    invariant(
      isDeepStrictEqual(again.jobs.get(id), job),
      `the replayed log gives job ${id} as ${JSON.stringify(again.jobs.get(id))}, not ${JSON.stringify(job)}`,
    );
    const kept = store.attempts(id);
    const replayed = [...(attempts.get(id)?.values() ?? [])].sort((a, b) => a.n - b.n);
    invariant(
      isDeepStrictEqual(kept, replayed),
      `the store has ${kept.length} attempts of job ${id}, the replayed log ${replayed.length}, or they differ`,
    );
  }
}

function stepsReplay(store: Store, again: YardState, jobs: Committed['jobs']): void {
  const inStore = [...jobs.keys()].flatMap((id) => store.steps(id));
  invariant(inStore.length === again.touched.steps.size, 'the replayed log gives another number of steps');
  for (const step of inStore) {
    const replayed = again.touched.steps.get(`${step.attempt}/${step.n}`)?.step;
    invariant(
      isDeepStrictEqual(replayed, step) && step.endedAt !== null,
      `step ${step.n} of ${step.attempt} is ${JSON.stringify(step)}, replayed ${JSON.stringify(replayed)}`,
    );
  }
}
