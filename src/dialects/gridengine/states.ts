/**
 * A job's state in Grid Engine's letters. A new phase, outcome or reason to stop does not compile until it has one.
 * Knows no listing.
 */

import {
  type Attempt,
  type AttemptPhase,
  isLive,
  type Job,
  type JobPhase,
  type StopCause,
} from '../../model/job.ts';

/** Where a listing puts it: among what has a place, what waits for one, or what is over. */
export type Section = 'running' | 'pending' | 'finished';

const SECTIONS: Readonly<Record<JobPhase, Section>> = {
  held: 'pending',
  waiting: 'pending',
  pending: 'pending',
  active: 'running',
  ended: 'finished',
};

/** `t`: it is being brought to where it will run. */
const ATTEMPT_LETTERS: Readonly<Record<AttemptPhase, 't' | 'r'>> = {
  assigned: 't',
  staging: 't',
  running: 'r',
  stopping: 'r',
  syncing: 'r',
  ended: 'r',
  lost: 'r',
};

/** Only what somebody deletes is marked; other ends are the yard's own business. */
const STOP_LETTERS: Readonly<Record<StopCause, 'd' | ''>> = {
  cancelled: 'd',
  deadline: 'd',
  timeLimit: '',
  memory: '',
  scratch: '',
  preempted: '',
  requeued: '',
  requeuedHeld: '',
};

export function sectionOf({ phase }: Pick<Job, 'phase'>): Section {
  return SECTIONS[phase];
}

/** `qw`, `hqw`, `Rq`, `Eqw`, `t`, `r`, `Rr`, `s`, `S`, `dr`, `z`. */
export function stateOf(job: Job): string {
  const section = sectionOf(job);
  if (section === 'finished') return 'z';
  return section === 'pending' ? pendingLetters(job) : runningLetters(job);
}

/** Held by somebody, or by the jobs that it comes after; a time to begin is no hold. */
export function isHeld(job: Pick<Job, 'phase' | 'hold' | 'spec'>): boolean {
  if (job.phase === 'held') return job.hold?.isError !== true;
  return job.phase === 'waiting' && job.spec.dependencies !== null;
}

export function isInError({ phase, hold }: Pick<Job, 'phase' | 'hold'>): boolean {
  return phase === 'held' && hold?.isError === true;
}

function pendingLetters(job: Job): string {
  const error = isInError(job) ? 'E' : '';
  const held = isHeld(job) ? 'h' : '';
  // What went wrong waits as if it had never run.
  return `${error}${held}${job.restarts > 0 && error === '' ? 'Rq' : 'qw'}`;
}

function runningLetters(job: Job): string {
  const attempt = isLive(job.attempt) ? job.attempt : null;
  const restarted = job.restarts > 0 ? 'R' : '';
  if (attempt === null) return `${restarted}r`;
  const deleted = attempt.stop === null ? '' : STOP_LETTERS[attempt.stop.cause];
  const { byJob, byQueue } = suspensionOf(attempt);
  const last = byJob ? 's' : byQueue ? '' : ATTEMPT_LETTERS[attempt.phase];
  return `${deleted}${byQueue ? 'S' : ''}${restarted}${last}`;
}

export interface Suspension {
  readonly byJob: boolean;
  /** With its queue; or for a job of a higher one, as the jobs of a subordinate queue are. */
  readonly byQueue: boolean;
}

export function suspensionOf({ suspendedAt, suspendedFor }: Attempt): Suspension {
  if (suspendedAt === null) return { byJob: false, byQueue: false };
  const causes = suspendedFor ?? ['job'];
  return { byJob: causes.includes('job'), byQueue: causes.some((cause) => cause !== 'job') };
}
