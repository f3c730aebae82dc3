/**
 * How a job is going. Two small state machines:
 *
 *   Job:      held ⇄ waiting → pending → active → ended      (requeue leads back to pending)
 *   Attempt:  assigned → staging → running → stopping → syncing → ended     any live one → lost
 */

import type { DeviceUse } from './device-use.ts';
import type { AttemptId, JobId, NodeName } from './ids.ts';
import type { JobSpec, SignalScope } from './job-spec.ts';
import type { CheckpointNote, Progress } from './keeping.ts';
import { EMPTY, type RangeSet } from './ranges.ts';

export type JobPhase = 'held' | 'waiting' | 'pending' | 'active' | 'ended';

export type Outcome =
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'timeout'
  | 'outOfMemory'
  /** It wanted more memory of a GPU than it could have there. */
  | 'deviceOutOfMemory'
  | 'preempted'
  | 'nodeLost'
  | 'dependencyFailed'
  | 'deadline';

export interface Job {
  readonly id: JobId;
  readonly spec: JobSpec;
  readonly submittedAt: number;
  readonly phase: JobPhase;
  readonly hold: Hold | null;
  /** Since when it has been pending: waiting time counts from here. */
  readonly eligibleAt: number | null;
  /** Set on the record of an array; its elements are jobs of their own once they start. */
  readonly array: ArrayProgress | null;
  readonly element: { readonly array: JobId; readonly index: number } | null;
  /** How often it was started again. */
  readonly restarts: number;
  /** What that was when a run had last brought it further, by a checkpoint or a step; absent: none has. */
  readonly restartsAtProgress?: number;
  /** How many short runs in a row have asked for another one, without bringing it further. */
  readonly fruitless: number;
  /** How its last run asked for another one; absent: it did not, or the job was queued again for another reason. */
  readonly askedAgain?: AskedAgain;
  /** How many in a row ended without a new checkpoint or a further step, where the job has some; absent: none. */
  readonly stagnant?: number;
  /** The newest checkpoint that is safe, of whichever attempt; absent: there is none. */
  readonly checkpoint?: CheckpointNote;
  /** The furthest step that any attempt has told of; absent: none has. */
  readonly furthestStep?: number;
  /** The live attempt, or the last one. Earlier ones are in the store. */
  readonly attempt: Attempt | null;
  readonly outcome: Outcome | null;
  readonly endedAt: number | null;
  /** A sentence on how it came to this, where the outcome alone does not say it. */
  readonly note: string | null;
  /** Who ended it, where somebody did. */
  readonly endedBy: string | null;
}

/** An exit code that queued a job again. */
export interface AskedAgain {
  readonly code: number;
  /** Which rule heard it: one of the two lists of the yard's config, or the job's own list. */
  readonly rule: 'exitCodes' | 'holdExitCodes' | 'own';
}

export interface Hold {
  readonly by: 'user' | 'yard';
  readonly reason: string | null;
  /** Its last run went so wrong that somebody should look at it before it is released. */
  readonly isError?: boolean;
}

export interface ArrayProgress {
  /** Elements that have no record yet. */
  readonly unstarted: RangeSet;
  /** Elements that ended together without ever having had a record: cancelled, or dependency failed. */
  readonly dropped: RangeSet;
  /** Elements with a record that have not ended. */
  readonly live: number;
  readonly ended: Readonly<Partial<Record<Outcome, number>>>;
}

export type AttemptPhase = 'assigned' | 'staging' | 'running' | 'stopping' | 'syncing' | 'ended' | 'lost';

export type StopCause =
  | 'cancelled'
  | 'timeLimit'
  | 'preempted'
  | 'requeued'
  | 'requeuedHeld'
  | 'memory'
  | 'scratch'
  | 'deadline';

/** Somebody suspended the job, or the queue that it is in; or a job of a higher one needs its CPUs. */
export type SuspensionCause = 'job' | 'queue' | 'preemption';

export interface Attempt {
  readonly id: AttemptId;
  readonly n: number;
  readonly phase: AttemptPhase;
  readonly placement: Placement;
  readonly assignedAt: number;
  readonly startedAt: number | null;
  /**
   * The time from which its running time is counted: startedAt, moved along when the clock jumps, so that
   * a limit is about time that passed and not about what the clock said.
   */
  readonly clockFrom: number | null;
  /** When its processes were gone; what they left may still be being made safe. */
  readonly endedAt: number | null;
  /** When that was done; absent: it is not, or nothing had to be. */
  readonly safeAt?: number;
  readonly warning: 'none' | 'due' | 'sent';
  /** Limits that it has less of than its submitter; absent: none. */
  readonly loweredLimits?: readonly LoweredLimit[];
  readonly stop: Stop | null;
  /** Since when all its processes are stopped; null: they go on. */
  readonly suspendedAt: number | null;
  /** Who wants it suspended, while somebody does; absent: whoever asked for it. */
  readonly suspendedFor?: readonly SuspensionCause[];
  /** When it will be, after the notice that it was given; absent or null: nobody has asked. */
  readonly suspendAt?: number | null;
  /** The job that it makes room for, being suspended for that or about to be; absent or null: none. */
  readonly makesRoomFor?: JobId | null;
  /**
   * Since when its CPUs count as free, because it was suspended to make room; absent or null: it has them. They stay
   * lent when it is told to end before it has them back: for as long as its grace, it runs beside those who have them.
   */
  readonly cpusLentAt?: number | null;
  /** For how long they were lent before, in all; absent: never. */
  readonly cpusLentMs?: number;
  /** For how long it was suspended before, in all. */
  readonly suspendedMs: number;
  /** How often it was suspended or resumed, so that a repeated effect is recognised. */
  readonly suspensions: number;
  /** How many steps it has had. */
  readonly stepCount: number;
  /** Signals somebody asked for that have not been sent yet. */
  readonly signals: readonly SignalRequest[];
  /** How many were asked for in all. */
  readonly signalCount: number;
  readonly exit: Exit | null;
  readonly usage: Usage | null;
  /** What the world did to it: could not open its output, node unreachable. */
  readonly fault: string | null;
  /** The newest checkpoint of this attempt that is safe; absent: there is none. */
  readonly checkpoint?: CheckpointNote;
  /** What keeps its checkpoints from being safe right now, or did to the end; absent: nothing. */
  readonly trouble?: string;
  /** How far its program said it had come, when it ended; absent: it said nothing. */
  readonly progress?: Progress;
}

/** A limit of the submitter's shell of which the yard itself may have only a part; letters and values are ulimit's. */
export interface LoweredLimit {
  readonly letter: string;
  readonly wanted: string;
  readonly given: string;
}

export interface Stop {
  readonly cause: StopCause;
  readonly by: string | null;
  readonly requestedAt: number;
  /** When asking ends and killing begins. */
  readonly killAt: number;
  readonly step: 'term' | 'kill';
}

export interface SignalRequest {
  /** Grows by one with each request of the attempt, so that a repeated effect is recognised. */
  readonly n: number;
  readonly signal: number;
  readonly scope: SignalScope;
}

export interface Exit {
  /** What the main process returned; null when a signal ended it or it never ran. */
  readonly code: number | null;
  readonly signal: number | null;
  readonly outOfMemory: boolean;
  /** The memory of a GPU was not enough for it; absent: it was, or nobody knows. */
  readonly deviceOutOfMemory?: true;
}

/** How whoever held a place from outside says that it went; killed: it has gone without a word. */
export type GivenBack = 'succeeded' | 'failed' | 'deviceOutOfMemory' | 'killed';

export interface Usage {
  readonly peakMemoryBytes: number | null;
  readonly cpuMs: number | null;
  /** Of that, what its programs used themselves; the rest is what the kernel did for them. Absent: nobody knows. */
  readonly userCpuMs?: number;
  /** Absent: it had no devices, or nobody looked. */
  readonly devices?: readonly DeviceUse[];
}

export interface Placement {
  readonly nodes: readonly NodeShare[];
}

/** What an attempt holds on one node. */
export interface NodeShare {
  readonly node: NodeName;
  readonly ranks: number;
  readonly cpus: number;
  /** Which CPUs, where the node knows them. */
  readonly cpuIds: readonly number[];
  readonly memoryBytes: number;
  readonly devices: readonly DeviceShare[];
}

export interface DeviceShare {
  readonly index: number;
  /** Thousandths of its memory that are kept for the attempt: 1000 is the whole device. */
  readonly millis: number;
  /** Thousandths of the device that it is expected to keep busy; absent: nobody knows. */
  readonly loadMillis?: number;
  /** It is the first of its kind on this model of device, and has it alone until it is known what it uses; absent: it is not. */
  readonly learningOn?: string;
  /** It was seen to use more than it was given; absent: it was not. */
  readonly hasGrown?: true;
}

export function isLive(attempt: Attempt | null): attempt is Attempt {
  return attempt !== null && attempt.phase !== 'ended' && attempt.phase !== 'lost';
}

/** Its processes are yet to come, or there, or not yet known to be gone. */
export function isUnderWay(attempt: Attempt | null): attempt is Attempt {
  return isLive(attempt) && attempt.phase !== 'syncing';
}

/** While this holds, the attempt's memory and devices are taken, and its CPUs unless it has lent them. */
export function holdsResources(attempt: Attempt | null): attempt is Attempt {
  return isUnderWay(attempt);
}

export function hasLentCpus({ cpusLentAt }: Attempt): boolean {
  return cpusLentAt != null;
}

/** What is taken by an attempt that holds resources. Stopped processes keep their memory and their devices. */
export function sharesHeld(attempt: Attempt): readonly NodeShare[] {
  const { nodes } = attempt.placement;
  return hasLentCpus(attempt) ? nodes.map((share) => ({ ...share, cpus: 0, cpuIds: [] })) : nodes;
}

/** `17`, or `17_3` for an element. */
export function displayId(job: Pick<Job, 'id' | 'element'>): string {
  return job.element === null ? `${job.id}` : `${job.element.array}_${job.element.index}`;
}

export function newJob(id: JobId, spec: JobSpec, phase: 'held' | 'waiting' | 'pending', at: number): Job {
  return {
    id,
    spec,
    submittedAt: at,
    phase,
    hold: phase === 'held' ? { by: 'user', reason: null } : null,
    eligibleAt: phase === 'pending' ? at : null,
    array: spec.array === null ? null : { unstarted: spec.array.indices, dropped: EMPTY, live: 0, ended: {} },
    element: null,
    restarts: 0,
    fruitless: 0,
    attempt: null,
    outcome: null,
    endedAt: null,
    note: null,
    endedBy: null,
  };
}

export function newAttempt(id: AttemptId, n: number, placement: Placement, at: number): Attempt {
  return {
    id,
    n,
    phase: 'assigned',
    placement,
    assignedAt: at,
    startedAt: null,
    clockFrom: null,
    endedAt: null,
    warning: 'none',
    stop: null,
    suspendedAt: null,
    suspendedMs: 0,
    suspensions: 0,
    stepCount: 0,
    signals: [],
    signalCount: 0,
    exit: null,
    usage: null,
    fault: null,
  };
}
