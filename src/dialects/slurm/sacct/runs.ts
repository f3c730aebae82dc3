/**
 * What accounting remembers of a job, as Slurm's database would have it: a record for each of its runs, and one for
 * the time it has been waiting for the next. Values, not text. Knows no option and no column.
 */

import type { Attempt, Job } from '../../../model/job.ts';
import type { JobRecord } from '../../../model/query.ts';
import { countOf, type RangeSet } from '../../../model/ranges.ts';
import { foldHosts } from '../host-list.ts';
import { type ExitPair, exitOf } from '../job-facts.ts';
import { stateOf } from '../states.ts';
import { taskListText } from '../task-list.ts';
import { allocatedTres, requestedTres, type Tres } from '../tres.ts';
import { type StepRun, stepRuns } from './step-runs.ts';

export interface Run {
  readonly record: JobRecord;
  readonly job: Job;
  /** Null: it waits, or ended without having begun. */
  readonly attempt: Attempt | null;
  /** `17`, `4_1`, `4_[3-4%2]`. */
  readonly displayId: string;
  readonly array: RunArray | null;
  /** Slurm's name for it: `COMPLETED`, `REQUEUED`. */
  readonly state: string;
  /** Who cancelled it. */
  readonly endedBy: string | null;
  readonly submittedAt: number;
  /** Null: it never was, or nobody knows. */
  readonly eligibleAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly elapsedSeconds: number;
  readonly suspendedSeconds: number;
  readonly nodes: readonly string[];
  readonly nodeList: string;
  readonly requested: Tres;
  /** Null while it has no place. */
  readonly allocated: Tres | null;
  readonly exit: ExitPair;
  /** The worst exit of its steps. */
  readonly derivedExit: ExitPair;
  readonly steps: readonly StepRun[];
}

export interface RunArray {
  readonly jobId: number;
  /** Null: the elements that have no record of their own. */
  readonly index: number | null;
  readonly indices: RangeSet;
  readonly throttle: number | null;
}

const NOTHING: ExitPair = { code: 0, signal: 0 };

/** What else must be known to tell how a run went. */
export interface Circumstances {
  readonly now: number;
  /** Exit codes by which a batch script asks to be run again. */
  readonly requeueCodes: readonly number[];
  /** How long the list of an array's elements may get. */
  readonly taskListLength: number;
}

/** Oldest first. */
export function runsOf(record: JobRecord, about: Circumstances): readonly Run[] {
  const { job } = record.view;
  if (job.array !== null) return unstartedRuns(record, about);
  const attempts = record.attempts.map((attempt, i) => attemptRun(record, attempt, i, about));
  return waitsOrEndedWaiting(job, record.attempts.at(-1) ?? null)
    ? [...attempts, waitingRun(record, arrayOf(job), about)]
    : attempts;
}

/** A job whose last run led to another one that never began; or one that never had any. */
function waitsOrEndedWaiting(job: Job, last: Attempt | null): boolean {
  if (last === null) return true;
  if (job.phase === 'active') return false;
  return job.phase !== 'ended' || (last.endedAt !== null && job.endedAt !== (last.safeAt ?? last.endedAt));
}

/** The elements that have no record of their own: those that wait, and those that were dropped together. */
function unstartedRuns(record: JobRecord, about: Circumstances): readonly Run[] {
  const { id, array, spec } = record.view.job;
  if (array === null) return [];
  const throttle = spec.array?.throttle ?? null;
  const runFor = (indices: RangeSet) =>
    waitingRun(record, { jobId: id, index: null, indices, throttle }, about);
  const waiting = countOf(array.unstarted) === 0 ? [] : [runFor(array.unstarted)];
  if (countOf(array.dropped) === 0) return waiting;
  return [{ ...runFor(array.dropped), state: 'CANCELLED', exit: NOTHING }, ...waiting];
}

function attemptRun(record: JobRecord, attempt: Attempt, at: number, about: Circumstances): Run {
  const { now, requeueCodes, taskListLength } = about;
  const { job } = record.view;
  const previous = record.attempts[at - 1] ?? null;
  const isLast = at === record.attempts.length - 1 && !waitsOrEndedWaiting(job, attempt);
  const submittedAt = previous?.endedAt ?? job.submittedAt;
  const nodes = attempt.placement.nodes.map((share) => share.node);
  const steps = stepRuns(record, attempt, now);
  const state = isLast ? lastState(job, attempt) : earlierState(attempt, requeueCodes);
  const array = arrayOf(job);
  // Written out: to spread one object into another this large takes far longer than all the rest.
  return {
    record,
    job,
    array,
    displayId: displayIdOf(job, array, taskListLength),
    requested: requestedTres(job.spec.resources),
    attempt,
    state,
    endedBy: isLast ? (job.endedBy ?? attempt.stop?.by ?? null) : (attempt.stop?.by ?? null),
    submittedAt,
    eligibleAt: eligibleAtOf(job, submittedAt, previous !== null, isLast),
    startedAt: attempt.startedAt ?? attempt.assignedAt,
    endedAt: attempt.endedAt,
    elapsedSeconds: elapsedSecondsOf(attempt, now),
    suspendedSeconds: suspendedSecondsOf(attempt, now),
    nodes,
    nodeList: foldHosts(nodes),
    allocated: allocatedTres(attempt.placement),
    exit: isLast ? exitOf(job, attempt) : earlierExit(attempt),
    derivedExit: worstExit(steps),
    steps,
  };
}

function waitingRun(record: JobRecord, array: RunArray | null, about: Circumstances): Run {
  const { job } = record.view;
  const previous = record.attempts.at(-1) ?? null;
  const submittedAt = previous?.endedAt ?? job.submittedAt;
  const hasEnded = job.phase === 'ended';
  return {
    record,
    job,
    array,
    displayId: displayIdOf(job, array, about.taskListLength),
    requested: requestedTres(job.spec.resources),
    attempt: null,
    state: hasEnded ? stateOf(job).name : 'PENDING',
    endedBy: job.endedBy,
    submittedAt,
    eligibleAt: eligibleAtOf(job, submittedAt, previous !== null, true),
    startedAt: null,
    endedAt: hasEnded ? job.endedAt : null,
    elapsedSeconds: 0,
    suspendedSeconds: 0,
    nodes: [],
    nodeList: '',
    allocated: null,
    exit: hasEnded ? exitOf(job, null) : NOTHING,
    derivedExit: NOTHING,
    steps: [],
  };
}

function displayIdOf({ id }: Job, array: RunArray | null, taskListLength: number): string {
  return array === null ? `${id}` : arrayDisplayId(array, taskListLength);
}

function arrayOf({ element }: Job): RunArray | null {
  if (element === null) return null;
  return { jobId: element.array, index: element.index, indices: [], throttle: null };
}

function arrayDisplayId({ jobId, index, indices, throttle }: RunArray, taskListLength: number): string {
  if (index !== null) return `${jobId}_${index}`;
  return `${jobId}_[${taskListText(indices, taskListLength)}${throttle === null ? '' : `%${throttle}`}]`;
}

function lastState(job: Job, attempt: Attempt): string {
  if (job.phase === 'ended') return stateOf(job).name;
  if (attempt.phase === 'syncing') return stateOf(job).name;
  return attempt.suspendedAt === null ? 'RUNNING' : 'SUSPENDED';
}

/** How a run ended that was not the last. What became of the job then is known only by why it ended. */
function earlierState(attempt: Attempt, requeueCodes: readonly number[]): string {
  if (attempt.phase === 'lost') return 'NODE_FAIL';
  if (attempt.stop !== null) return STATE_BY_STOP[attempt.stop.cause];
  const code = attempt.exit?.code ?? null;
  if (attempt.exit?.outOfMemory) return 'OUT_OF_MEMORY';
  if (code === 0) return 'COMPLETED';
  return code === null || requeueCodes.includes(code) ? 'REQUEUED' : 'FAILED';
}

const STATE_BY_STOP = {
  cancelled: 'CANCELLED',
  timeLimit: 'TIMEOUT',
  preempted: 'PREEMPTED',
  requeued: 'REQUEUED',
  requeuedHeld: 'REQUEUED',
  memory: 'OUT_OF_MEMORY',
  scratch: 'FAILED',
  deadline: 'DEADLINE',
} as const;

function earlierExit({ stop, exit }: Attempt): ExitPair {
  if (stop !== null || exit === null) return NOTHING;
  return { code: exit.code ?? 0, signal: exit.signal ?? 0 };
}

/** A job keeps the age it had when it is queued again, but that record of it is younger. */
function eligibleAtOf(job: Job, submittedAt: number, isAgain: boolean, isLast: boolean): number | null {
  if (isAgain && !isLast) return submittedAt;
  if (isLast && job.eligibleAt !== null) return Math.max(job.eligibleAt, submittedAt);
  if (isLast) return job.hold === null && job.spec.dependencies === null ? job.spec.beginAt : null;
  const mayHaveWaited = job.spec.held || job.spec.dependencies !== null || job.spec.beginAt !== null;
  return mayHaveWaited ? null : submittedAt;
}

/** In whole seconds of the clock, so that it is what lies between the two times shown. */
function elapsedSecondsOf(attempt: Attempt, now: number): number {
  const from = attempt.clockFrom ?? attempt.startedAt ?? attempt.assignedAt;
  const until = attempt.endedAt ?? attempt.suspendedAt ?? now;
  return Math.max(0, Math.floor(until / 1000) - Math.floor(from / 1000));
}

function suspendedSecondsOf({ suspendedAt, suspendedMs, endedAt }: Attempt, now: number): number {
  const current = suspendedAt === null ? 0 : Math.max(0, (endedAt ?? now) - suspendedAt);
  return Math.floor((suspendedMs + current) / 1000);
}

function worstExit(steps: readonly StepRun[]): ExitPair {
  const exits = steps.filter((step) => step.n !== null).map((step) => step.exit);
  return exits.reduce((worst, exit) => (weightOf(exit) > weightOf(worst) ? exit : worst), NOTHING);
}

function weightOf({ code, signal }: ExitPair): number {
  return code * 256 + signal;
}
