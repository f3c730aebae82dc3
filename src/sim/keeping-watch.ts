/**
 * What must be true of what simulated jobs keep: no two of them in one place, nothing done to an attempt whose processes
 * are gone, chains that are never cut by a time limit, and nobody held for standing still who got somewhere. Throws when
 * something is not.
 */

import { heldPlace } from '../core/places.ts';
import type { YardState } from '../core/state.ts';
import type { Event } from '../model/event.ts';
import type { AttemptId, JobId } from '../model/ids.ts';
import type { Job } from '../model/job.ts';
import type { Policy } from '../model/policy.ts';
import { invariant } from '../model/refusal.ts';
import type { Store } from '../store/store.ts';
import type { SimulatedEngine } from './engine.ts';

export interface KeepingWatch {
  happened(event: Event, state: YardState): void;
}

export interface KeepingWatchParts {
  readonly engine: () => SimulatedEngine;
  readonly store: Store;
  readonly policy: Policy;
}

/** Of an attempt whose processes are gone, these make no sense any more. */
const TOO_LATE: ReadonlySet<Event['type']> = new Set<Event['type']>([
  'attemptStarted',
  'attemptTimed',
  'warningDue',
  'killDue',
  'signalRequested',
  'suspendAnnounced',
  'attemptSuspended',
  'attemptResumed',
  'stepStarted',
]);

export function keepingWatch({ engine, store, policy }: KeepingWatchParts): KeepingWatch {
  const syncing = new Set<AttemptId>();

  function isSyncing(attempt: AttemptId): void {
    const run = engine().runs.get(attempt);
    invariant(
      run !== undefined && run.phase !== 'starting' && run.phase !== 'running',
      `the processes of ${attempt} are said to be gone, and in truth it is ${run?.phase}`,
    );
    invariant(!syncing.has(attempt), `the processes of ${attempt} are said to be gone twice`);
    syncing.add(attempt);
  }

  function checkpointExists({ attempt, checkpoint }: Extract<Event, { type: 'checkpointKept' }>): void {
    const names =
      engine()
        .runs.get(attempt)
        ?.checkpoints.map(({ name }) => name) ?? [];
    invariant(names.includes(checkpoint.name), `attempt ${attempt} never wrote ${checkpoint.name}`);
  }

  /** So many of its last runs brought neither a checkpoint nor a further step. */
  function standsStill(id: JobId, runs: number): void {
    const attempts = store.attempts(id);
    let furthest = 0;
    let further = 0;
    for (const { n, checkpoint, progress } of attempts) {
      if (checkpoint !== undefined || (progress?.step ?? 0) > furthest) further = n;
      furthest = Math.max(furthest, progress?.step ?? 0);
    }
    const since = attempts.length - further;
    invariant(since >= runs, `job ${id} is held for ${runs} runs without progress, and has had ${since}`);
  }

  return {
    happened(event, state) {
      const job = 'job' in event ? state.jobs.get(event.job) : undefined;
      if ('attempt' in event && event.attempt !== null && syncing.has(event.attempt))
        invariant(!TOO_LATE.has(event.type), `attempt ${event.attempt} is gone and had ${event.type}`);
      if (event.type === 'attemptSyncing') isSyncing(event.attempt);
      if (event.type === 'checkpointKept') checkpointExists(event);
      if (event.type === 'jobRequeued' && (event.stagnant ?? 0) >= policy.maxStagnant) {
        invariant(event.hold !== null, `job ${event.job} stands still and is not held`);
        standsStill(event.job, policy.maxStagnant);
      }
      // An array ends as the worst of its elements did, and each of those can be told to be no chain.
      if (event.type === 'jobEnded' && event.outcome === 'timeout' && job?.array === null)
        invariant(job.spec.chain !== true, `job ${event.job} is chained and was ended by its time limit`);
      if (event.type === 'attemptAssigned' && job !== undefined) alone(job);
    },
  };

  /** In truth, and not only in the records. */
  function alone(job: Job): void {
    const place = heldPlace(job);
    if (place === null) return;
    for (const { attempt, phase, place: other } of engine().runs.values())
      invariant(
        other !== place || phase === 'ended' || phase === 'lost' || attempt === job.attempt?.id,
        `job ${job.id} starts in ${place}, where ${attempt} is ${phase}`,
      );
  }
}
