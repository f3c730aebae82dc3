/** A job's state in Slurm's words. A new phase or outcome does not compile until it has one. */

import type { Attempt, AttemptPhase, Job, JobPhase, Outcome } from '../../model/job.ts';

export interface SlurmState {
  readonly name: string;
  /** As `squeue` shows it in its narrow column. */
  readonly code: string;
}

const state = (name: string, code: string): SlurmState => ({ name, code });

const PENDING = state('PENDING', 'PD');
const SUSPENDED = state('SUSPENDED', 'S');
const RUNNING = state('RUNNING', 'R');
const COMPLETING = state('COMPLETING', 'CG');
const CONFIGURING = state('CONFIGURING', 'CF');

const BY_PHASE: Readonly<Record<Exclude<JobPhase, 'active' | 'ended'>, SlurmState>> = {
  held: PENDING,
  waiting: PENDING,
  pending: PENDING,
};

const BY_ATTEMPT: Readonly<Record<AttemptPhase, SlurmState>> = {
  assigned: CONFIGURING,
  staging: CONFIGURING,
  running: RUNNING,
  stopping: COMPLETING,
  syncing: COMPLETING,
  ended: COMPLETING,
  lost: COMPLETING,
};

const BY_OUTCOME: Readonly<Record<Outcome, SlurmState>> = {
  completed: state('COMPLETED', 'CD'),
  failed: state('FAILED', 'F'),
  cancelled: state('CANCELLED', 'CA'),
  timeout: state('TIMEOUT', 'TO'),
  outOfMemory: state('OUT_OF_MEMORY', 'OOM'),
  // Slurm's own is about the memory of the node.
  deviceOutOfMemory: state('FAILED', 'F'),
  preempted: state('PREEMPTED', 'PR'),
  nodeLost: state('NODE_FAIL', 'NF'),
  dependencyFailed: state('CANCELLED', 'CA'),
  deadline: state('DEADLINE', 'DL'),
};

export function stateOf(job: Job): SlurmState {
  if (job.phase === 'ended') return BY_OUTCOME[job.outcome ?? 'failed'];
  if (job.phase !== 'active') return BY_PHASE[job.phase];
  // The record of an array whose elements have all begun.
  if (job.attempt === null) return RUNNING;
  if (job.attempt.phase === 'running' && job.attempt.suspendedAt !== null) return SUSPENDED;
  return BY_ATTEMPT[job.attempt.phase];
}

/** What could not be started at all: its directory or one of its files could not be had. */
export function neverRan(attempt: Attempt | null): boolean {
  if (attempt === null || attempt.fault === null) return false;
  return attempt.exit === null || (attempt.exit.code === null && attempt.exit.signal === null);
}

/** Every state that a filter may name, in the order in which Slurm lists them. */
export const FILTER_STATES: readonly SlurmState[] = [
  PENDING,
  RUNNING,
  SUSPENDED,
  BY_OUTCOME.completed,
  BY_OUTCOME.cancelled,
  BY_OUTCOME.failed,
  BY_OUTCOME.timeout,
  BY_OUTCOME.nodeLost,
  BY_OUTCOME.preempted,
  state('BOOT_FAIL', 'BF'),
  BY_OUTCOME.deadline,
  BY_OUTCOME.outOfMemory,
  COMPLETING,
  CONFIGURING,
  state('RESIZING', 'RS'),
  state('RESV_DEL_HOLD', 'RD'),
  state('REQUEUED', 'RQ'),
  state('REQUEUE_FED', 'RF'),
  state('REQUEUE_HOLD', 'RH'),
  state('REVOKED', 'RV'),
  state('SIGNALING', 'SI'),
  state('SPECIAL_EXIT', 'SE'),
  state('STAGE_OUT', 'SO'),
  state('STOPPED', 'ST'),
];

/** By name or code, in any case; null when there is no such state. */
export function stateNamed(text: string): SlurmState | null {
  const wanted = text.toUpperCase();
  return FILTER_STATES.find(({ name, code }) => name === wanted || code === wanted) ?? null;
}
