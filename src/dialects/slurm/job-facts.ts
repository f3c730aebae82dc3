/**
 * One job as Slurm's listings see it, worked out once for `squeue`, `scontrol`, `sacct` and their JSON. Values, not
 * text: how each is printed is the listing's business. Knows no option and no column.
 */

import type { Attempt, Job } from '../../model/job.ts';
import type { Policy } from '../../model/policy.ts';
import type { JobView } from '../../model/query.ts';
import { countOf, type RangeSet, rangeOf } from '../../model/ranges.ts';
import { ROOT } from './associations.ts';
import { foldHosts } from './host-list.ts';
import { describedReason, reasonWord } from './reasons.ts';
import { neverRan, type SlurmState, stateOf } from './states.ts';
import { taskListText } from './task-list.ts';
import { allocatedTres, requestedTres, type Tres } from './tres.ts';
import { wordOf } from './words.ts';

export interface JobFacts {
  readonly view: JobView;
  readonly job: Job;
  /** The run it is about: the live one, or the last of a job that has ended. Null while it waits. */
  readonly attempt: Attempt | null;
  /** `17`, `4_1`, `4_[3-4%2]`. */
  readonly displayId: string;
  readonly array: ArrayFacts | null;
  readonly state: SlurmState;
  readonly reason: string;
  /** The same word, with what Slurm would say besides. */
  readonly describedReason: string;
  readonly nodes: readonly string[];
  /** `n[1-2]`; empty while it waits. */
  readonly nodeList: string;
  /** Of a waiting job what it asked for. */
  readonly tres: Tres;
  readonly tasks: number;
  readonly startAt: number | null;
  /** When it ended, or must end; null when nobody knows. */
  readonly endAt: number | null;
  readonly runMs: number;
  readonly exit: ExitPair;
}

export interface ArrayFacts {
  readonly jobId: number;
  /** `1`, or `3-4%2` for elements that have not started. */
  readonly taskText: string;
  readonly tasks: RangeSet;
  /** At most so many at once; only of elements that have not started. */
  readonly throttle: number | null;
  /** How many elements this record stands for. */
  readonly elements: number;
}

/** What Slurm writes as `3:0` or `0:15`. */
export interface ExitPair {
  readonly code: number;
  readonly signal: number;
}

export function jobFacts(view: JobView, now: number): JobFacts {
  const { job } = view;
  const attempt = job.phase === 'active' || job.phase === 'ended' ? job.attempt : null;
  const nodes = attempt?.placement.nodes.map((share) => share.node) ?? [];
  const startAt = attempt?.startedAt ?? (job.phase === 'ended' ? null : startOfWaiting(job));
  return {
    view,
    job,
    attempt,
    displayId: displayIdOf(job),
    array: arrayFactsOf(job),
    state: stateOf(job),
    reason: reasonWord(view),
    describedReason: describedReason(view),
    nodes,
    nodeList: foldHosts(nodes),
    tres: attempt === null ? requestedTres(job.spec.resources) : allocatedTres(attempt.placement),
    tasks: job.spec.resources.ranks,
    startAt,
    endAt: endOf(job, attempt, startAt),
    runMs: runningMs(job, attempt, now),
    exit: exitOf(job, attempt),
  };
}

/** A record of an array stands for elements that never began; without any there is nothing to show. */
export function isShown({ array, phase }: Job): boolean {
  if (array === null || countOf(array.unstarted) > 0) return true;
  return phase === 'ended' && countOf(array.dropped) > 0;
}

/** The class of service that it is in, asked for or not. */
export function qosOf({ spec }: Job, { qos }: Policy): string | null {
  return spec.qos ?? qos.find(({ isDefault }) => isDefault)?.name ?? null;
}

function displayIdOf(job: Job): string {
  const array = arrayFactsOf(job);
  if (array === null) return `${job.id}`;
  return job.element === null ? `${array.jobId}_[${array.taskText}]` : `${array.jobId}_${array.taskText}`;
}

function arrayFactsOf({ id, element, array, spec }: Job): ArrayFacts | null {
  if (element !== null) {
    const { array: jobId, index } = element;
    return { jobId, taskText: `${index}`, tasks: rangeOf(index, index), throttle: null, elements: 1 };
  }
  if (array === null) return null;
  const tasks = countOf(array.unstarted) > 0 ? array.unstarted : array.dropped;
  const throttle = spec.array?.throttle ?? null;
  const taskText = `${taskListText(tasks)}${throttle === null ? '' : `%${throttle}`}`;
  return { jobId: id, taskText, tasks, throttle, elements: countOf(tasks) };
}

/** A begin time is the one thing known of the start of a job that waits. */
function startOfWaiting({ phase, spec }: Job): number | null {
  return phase === 'waiting' ? spec.beginAt : null;
}

function endOf(job: Job, attempt: Attempt | null, startAt: number | null): number | null {
  if (job.phase === 'ended') return job.endedAt;
  if (startAt === null || job.spec.limitMs === null) return null;
  return (attempt?.clockFrom ?? startAt) + job.spec.limitMs;
}

function runningMs(job: Job, attempt: Attempt | null, now: number): number {
  if (attempt === null || attempt.startedAt === null) return 0;
  const from = attempt.clockFrom ?? attempt.startedAt;
  const until = attempt.endedAt ?? (job.phase === 'ended' ? job.endedAt : null) ?? attempt.suspendedAt ?? now;
  return Math.max(0, until - from);
}

/** When it was asked to make room, by ending or by being suspended; null: it was not. */
export function preemptedAtOf({ attempt }: Pick<JobFacts, 'attempt'>): number | null {
  if (attempt?.stop?.cause === 'preempted') return attempt.stop.requestedAt;
  return attempt?.suspendedFor?.includes('preemption') === true ? attempt.suspendedAt : null;
}

/** Whether anybody may have to make room for anybody. */
export function anyPreempts({ queues, qos }: Policy): boolean {
  return (
    queues.some(({ preempt }) => preempt !== 'off') || qos.some(({ preempts }) => preempts !== undefined)
  );
}

/** Slurm's own number for what could not be started, where the signal would be. */
const NOT_LAUNCHED: ExitPair = { code: 0, signal: 53 };

export function exitOf(job: Job, attempt: Attempt | null): ExitPair {
  const exit = job.phase === 'ended' ? (attempt?.exit ?? null) : null;
  // What is stopped on request is not blamed for it; out of memory has a code of its own.
  if (job.outcome === 'outOfMemory') return { code: 0, signal: 125 };
  if (job.outcome === 'cancelled' || job.outcome === 'timeout' || job.outcome === 'preempted')
    return { code: 0, signal: 0 };
  if (job.outcome === 'failed' && neverRan(attempt)) return NOT_LAUNCHED;
  if (exit === null) return { code: job.outcome === 'failed' ? 1 : 0, signal: 0 };
  return { code: exit.code ?? 0, signal: exit.signal ?? 0 };
}

/** `sbatch` jobs have a batch step; what `srun` and `salloc` asked for has none. */
export function hasBatchStep(job: Job): boolean {
  return job.spec.program.spread !== 'caller';
}

export function commandText(job: Job): string | null {
  return wordOf(job, 'command');
}

/** What it is charged to; where the yard has no accounts, everybody is right below the root. */
export function accountOf({ spec }: Pick<Job, 'spec'>): string {
  return spec.account ?? ROOT;
}
