/**
 * What must be true of a simulated yard after everything that happens: its own invariants, that nothing
 * committed is ever lost, and that its records say what really happened. Throws when something is not.
 */

import { isDeepStrictEqual } from 'node:util';
import { dependencyStanding } from '../core/dependencies.ts';
import { limitAt } from '../core/due.ts';
import { throttleOf } from '../core/schedule/limits.ts';
import { newState, putJob, type YardState } from '../core/state.ts';
import { validate } from '../core/validate.ts';
import type { Event } from '../model/event.ts';
import { attemptNumber, type JobId, type NodeName, type QueueName } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import type { Node } from '../model/node.ts';
import { PLAIN_QUEUE_STATE } from '../model/plain.ts';
import type { Policy, QueueState } from '../model/policy.ts';
import { invariant } from '../model/refusal.ts';
import type { Batch, JobStep, Store, UserUsage } from '../store/store.ts';
import type { SimulatedEngine } from './engine.ts';
import { keepingWatch } from './keeping-watch.ts';
import { nothingRunsTwice } from './nothing-runs-twice.ts';
import { replays } from './replay.ts';
import { requeueWatch } from './requeue-watch.ts';
import type { Run } from './run.ts';
import type { World } from './world.ts';

export interface Watchdog {
  committed(batch: Batch, state: YardState): void;
  /** Everything was loaded again: it must be what was committed. */
  reloaded(state: YardState): void;
  turned(state: YardState, now: number): void;
  /** The number of a job was given to whoever submitted it. */
  acknowledged(job: JobId): void;
  /** At the end: all jobs ended, and the log alone gives the same state. */
  finished(): void;
  readonly jobs: ReadonlyMap<JobId, Job>;
}

export interface WatchdogParts {
  readonly world: World;
  readonly engine: () => SimulatedEngine;
  readonly store: Store;
  readonly policy: Policy;
}

/** Reports can be late, and looked at later still; a stop or an end cannot come much later than that. */
const SLACK_MS = 3 * 60_000;

export function watchdog({ world, engine, store, policy }: WatchdogParts): Watchdog {
  const jobs = new Map<JobId, Job>();
  const nodes = new Map<NodeName, Node>();
  const usage = new Map<string, UserUsage>();
  const queues = new Map<QueueName, QueueState>();
  const steps = new Map<string, JobStep>();
  const acknowledged = new Set<JobId>();
  const limitChanged = new Set<JobId>();
  const killDueAtMs = new Map<string, number>();
  /** The memory of a yard that forgets nobody: what depends on whom is asked of it once more. */
  const everything = newState();
  const keeping = keepingWatch({ engine, store, policy });
  const requeues = requeueWatch(store, policy);
  let nextJobId = 1;

  function runOf(attempt: string) {
    const run = engine().runs.get(attempt);
    invariant(run !== undefined, `attempt ${attempt} is in the records and was never started`);
    return run;
  }

  function happened(event: Event, state: YardState): void {
    keeping.happened(event, state);
    requeues.happened(event, state);
    switch (event.type) {
      case 'jobUpdated':
        if (event.changes.limitMs !== undefined) limitChanged.add(event.job);
        return;
      case 'queueChanged':
        queues.set(event.queue, event.state);
        return;
      case 'attemptAssigned':
        startsWhereItMay(event, state.jobs.get(event.job));
        return keepsToLimits(state, event.job);
      case 'stopRequested':
        if (event.cause === 'timeLimit') stoppedInTime(event.job, event.attempt);
        return;
      case 'killDue':
        killDueAtMs.set(event.attempt, world.nowMs);
        return;
      case 'attemptEnded': {
        const run = runOf(event.attempt);
        invariant(
          run.phase === 'ended' && isDeepStrictEqual(run.exit, event.exit) && run.fault === event.fault,
          `attempt ${event.attempt} is said to have ended with ${JSON.stringify(event.exit)}; in truth it is ${run.phase} with ${JSON.stringify(run.exit)}`,
        );
        return;
      }
      case 'stepEnded': {
        const { exit } = runOf(event.attempt).steps.get(event.n) ?? { exit: null };
        const isWithAttempt = event.exit.code === null && event.usage === null;
        invariant(
          isWithAttempt || isDeepStrictEqual(exit, event.exit),
          `step ${event.n} of ${event.attempt} is said to have ended with ${JSON.stringify(event.exit)}; in truth ${JSON.stringify(exit)}`,
        );
        return;
      }
      case 'attemptLost': {
        const run = engine().runs.get(event.attempt);
        invariant(
          run === undefined || isOver(run.phase),
          `attempt ${event.attempt} is given up and in truth is ${run?.phase}`,
        );
        return;
      }
      case 'jobEnded':
        return endedInTruth(state, event.job);
      default:
        return;
    }
  }

  /** In a queue that starts jobs and was asked for, with as many ranks as were. */
  function startsWhereItMay(event: Extract<Event, { type: 'attemptAssigned' }>, job: Job | undefined): void {
    if (job === undefined) return;
    const { queue, queueChoices = [queue], resources } = job.spec;
    const name = event.queue ?? queue;
    const { disabled, suspended } = queues.get(name) ?? PLAIN_QUEUE_STATE;
    invariant(!disabled && !suspended, `job ${job.id} starts in queue ${name}, which starts no jobs`);
    invariant(queueChoices.includes(name), `job ${job.id} starts in queue ${name}, which nobody asked for`);
    const ranks = event.placement.nodes.reduce((sum, share) => sum + share.ranks, 0);
    const { ranks: least, ranksMax = least } = resources;
    invariant(
      ranks >= least && ranks <= ranksMax,
      `job ${job.id} of ${least} to ${ranksMax} ranks has ${ranks}`,
    );
  }

  function keepsToLimits(state: YardState, id: JobId): void {
    const job = state.jobs.get(id);
    if (job === undefined) return;
    const { user, queue: name } = job.spec;
    const { running } = state.tallies.byUser.get(user) ?? { running: 0 };
    const most = policy.perUser.maxRunning;
    invariant(most === null || running <= most, `${user} has ${running} jobs running, ${most} allowed`);
    const ofQueue = policy.queues.find((queue) => queue.name === name)?.limits.maxRunning ?? null;
    const there = state.tallies.byQueue.get(name)?.running ?? 0;
    invariant(ofQueue === null || there <= ofQueue, `queue ${name} runs ${there} jobs, ${ofQueue} allowed`);
    const throttle = throttleOf(state, job);
    const live = state.liveElements.get(job.element?.array ?? id) ?? 0;
    invariant(throttle === null || live <= throttle, `array of job ${id} runs ${live}, ${throttle} allowed`);
  }

  /** Who may go has what it waited for, and who failed can no longer have it. */
  function dependenciesHold(batch: Batch): void {
    // A job that is started again in the same turn takes back what it meant to others.
    const again = batch.events.some(({ event }) => event.type === 'jobRequeued' || isAnotherStart(event));
    for (const { event } of again ? [] : batch.events) {
      const goes = event.type === 'jobPending';
      if (!goes && (event.type !== 'jobEnded' || event.outcome !== 'dependencyFailed')) continue;
      const job = jobs.get(event.job);
      if (job === undefined || (job.array !== null && !goes)) continue;
      const standing = dependencyStanding(everything, job, null, world.wall());
      invariant(
        standing === (goes ? 'met' : 'never'),
        `job ${event.job} had ${event.type}, and what it depends on is ${standing}`,
      );
    }
  }

  /** Time that really passed, however often the clock was set. */
  function stoppedInTime(id: JobId, attempt: string): void {
    const { startedAtMs } = runOf(attempt);
    const limitMs = jobs.get(id)?.spec.limitMs ?? null;
    invariant(startedAtMs !== null && limitMs !== null, `attempt ${attempt} had no time limit to reach`);
    const suspendedMs = jobs.get(id)?.attempt?.suspendedMs ?? 0;
    const ranMs = world.nowMs - startedAtMs - suspendedMs;
    invariant(ranMs >= limitMs, `attempt ${attempt} was stopped after ${ranMs} ms of ${limitMs}`);
    invariant(
      ranMs <= limitMs + SLACK_MS || limitChanged.has(id),
      `attempt ${attempt} was stopped only after ${ranMs} ms, its limit is ${limitMs}`,
    );
  }

  function endedInTruth(state: YardState, id: JobId): void {
    const job = state.jobs.get(id);
    if (job === undefined || job.array !== null) return;
    const { outcome, attempt } = job;
    if (outcome === 'completed') {
      const run = attempt && runOf(attempt.id);
      invariant(
        run?.exit?.code === 0 && attempt?.stop == null,
        `job ${id} is completed, and its last attempt ended with ${JSON.stringify(run?.exit)}`,
      );
    }
    if (outcome === 'failed')
      invariant(attempt?.exit != null, `job ${id} failed without an attempt that ended`);
    const run = attempt === null ? undefined : engine().runs.get(attempt.id);
    invariant(run === undefined || isOver(run.phase), `job ${id} has ended and its attempt is ${run?.phase}`);
  }

  return {
    jobs,
    committed(batch, state) {
      for (const job of batch.jobs) {
        jobs.set(job.id, job);
        putJob(everything, job);
      }
      for (const one of batch.steps) steps.set(`${one.step.attempt}/${one.step.n}`, one);
      dependenciesHold(batch);
      for (const node of batch.nodes) nodes.set(node.name, node);
      for (const name of batch.goneNodes) nodes.delete(name);
      for (const one of batch.usage) usage.set(one.user, one);
      nextJobId = batch.nextJobId;
      for (const { event } of batch.events) happened(event, state);
    },
    reloaded(state) {
      const unended = [...jobs.values()].filter(({ phase }) => phase !== 'ended');
      for (const job of unended)
        invariant(
          isDeepStrictEqual(state.jobs.get(job.id), job),
          `job ${job.id} was committed as ${JSON.stringify(job)} and came back as ${JSON.stringify(state.jobs.get(job.id))}`,
        );
      for (const job of state.jobs.values())
        invariant(
          isDeepStrictEqual(jobs.get(job.id), job),
          `job ${job.id} came back otherwise than committed`,
        );
      invariant(isDeepStrictEqual(state.nodes, nodes), 'the nodes came back otherwise than committed');
      invariant(isDeepStrictEqual(state.queues, queues), 'the queues came back otherwise than committed');
      for (const { step } of steps.values())
        invariant(
          step.endedAt !== null || isDeepStrictEqual(state.steps.get(step.attempt)?.get(step.n), step),
          `step ${step.n} of ${step.attempt} was committed and came back otherwise`,
        );
      invariant(state.nextJobId === nextJobId, `the next job would be ${state.nextJobId}, not ${nextJobId}`);
      validate(state);
    },
    turned(state, now) {
      validate(state);
      nothingRunsTwice(state, engine().runs.values());
      for (const id of state.live) {
        const job = state.jobs.get(id) as Job;
        const limit = limitAt(job);
        invariant(
          limit === null || limit > now || job.attempt?.stop != null,
          `job ${id} is over its time limit and nobody stops it`,
        );
        const { suspended } = queues.get(job.spec.queue) ?? PLAIN_QUEUE_STATE;
        invariant(
          !suspended ||
            job.attempt?.startedAt == null ||
            job.attempt.stop !== null ||
            job.attempt.phase === 'syncing' ||
            isToBeSuspended(job.attempt),
          `job ${id} goes on in a suspended queue`,
        );
        if (job.attempt?.phase === 'syncing') continue;
        const killAtMs = killDueAtMs.get(job.attempt?.id ?? '') ?? Number.POSITIVE_INFINITY;
        invariant(world.nowMs <= killAtMs + SLACK_MS, `job ${id} was to be killed and lives on`);
      }
    },
    acknowledged(job) {
      acknowledged.add(job);
      invariant(store.job(job) !== null, `job ${job} was acknowledged and is not in the store`);
    },
    finished() {
      for (const id of acknowledged) {
        const job = store.job(id);
        invariant(job !== null, `job ${id} was acknowledged and is lost`);
        invariant(job.phase === 'ended', `job ${id} never came to an end: ${JSON.stringify(job)}`);
      }
      replays(store, { jobs, nodes, queues, usage, nextJobId });
    },
  };
}

function isOver(phase: Run['phase']): boolean {
  return phase === 'ended' || phase === 'lost';
}

function isAnotherStart(event: Event): boolean {
  return event.type === 'attemptAssigned' && attemptNumber(event.attempt) > 1;
}

function isToBeSuspended({ suspendedAt, suspendAt }: Attempt): boolean {
  return suspendedAt !== null || suspendAt != null;
}
