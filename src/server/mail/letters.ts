/**
 * What a letter about a job says. One line, in the form in which Slurm writes it, since people have filters for
 * that; what was submitted in other words than Slurm's is called by another name. Reads no clock and sends nothing.
 */

import { printable } from '../../model/bytes.ts';
import { displayId, type Exit, type Job, type Outcome } from '../../model/job.ts';
import type { MailOccasion } from '../../model/job-spec.ts';

export type LetterOccasion = Exclude<MailOccasion, 'eachElement'>;

/** What is known of the elements of an array that has ended; null where not all of them were seen to end. */
export interface ElementExits {
  readonly lowestCode: number;
  readonly highestCode: number;
  readonly highestSignal: number;
}

export interface Letter {
  readonly job: Job;
  readonly occasion: LetterOccasion;
  /** How long it waited, or ran. */
  readonly durationMs: number;
  /** Of a whole array. */
  readonly elements: ElementExits | null;
}

const EVENTS: Readonly<Record<LetterOccasion, string>> = {
  begin: 'Began',
  end: 'Ended',
  fail: 'Failed',
  requeue: 'Requeued',
  invalidDependency: 'Invalid dependency',
  timeLimit: 'Reached time limit',
  timeLimit90: 'Reached 90% of time limit',
  timeLimit80: 'Reached 80% of time limit',
  timeLimit50: 'Reached 50% of time limit',
  abort: 'Aborted',
  suspend: 'Suspended',
};

export function eventWords(occasion: LetterOccasion): string {
  return EVENTS[occasion];
}

export function subjectOf(letter: Letter): string {
  const { job, occasion } = letter;
  const author = job.spec.origin.dialect === 'slurm' ? 'Slurm' : 'Trainyard';
  const name = `Name=${printable(job.spec.name)} ${EVENTS[occasion]}`;
  if (job.array !== null)
    return `${author} Array Summary Job_id=${job.id}_* (${job.id}) ${name}${sum(letter)}`;
  const duration = `${DURATIONS[occasion]}${clock(letter.durationMs)}`;
  const times = DURATIONS[occasion] === '' ? '' : duration;
  const ending = occasion === 'end' || occasion === 'fail' ? `, ${exitWords(job)}` : '';
  const subject =
    job.element === null ? `Job_id=${job.id}` : `Array Task Job_id=${displayId(job)} (${job.id})`;
  return `${author} ${subject} ${name}${times}${ending}`;
}

const QUEUED = ', Queued time ';
const RAN = ', Run time ';

const DURATIONS: Readonly<Record<LetterOccasion, string>> = {
  begin: QUEUED,
  end: RAN,
  fail: RAN,
  requeue: RAN,
  invalidDependency: '',
  timeLimit: RAN,
  timeLimit90: RAN,
  timeLimit80: RAN,
  timeLimit50: RAN,
  abort: RAN,
  suspend: RAN,
};

const STATES: Readonly<Record<Outcome, string>> = {
  completed: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  timeout: 'TIMEOUT',
  outOfMemory: 'OUT_OF_MEMORY',
  deviceOutOfMemory: 'FAILED',
  preempted: 'PREEMPTED',
  nodeLost: 'NODE_FAIL',
  dependencyFailed: 'CANCELLED',
  deadline: 'DEADLINE',
};

export function stateWord({ outcome }: Pick<Job, 'outcome'>): string {
  return outcome === null ? 'RUNNING' : STATES[outcome];
}

/** What was stopped by somebody is not blamed for it. */
const STOPPED: ReadonlySet<Outcome> = new Set<Outcome>([
  'cancelled',
  'timeout',
  'preempted',
  'dependencyFailed',
]);

function exitWords(job: Job): string {
  const exit = exitOf(job);
  const state = stateWord(job);
  return exit.signal === null ? `${state}, ExitCode ${exit.code ?? 0}` : state;
}

/** How it counts in a letter. */
export function exitOf({ attempt, outcome }: Job): Pick<Exit, 'code' | 'signal'> {
  if (outcome !== null && STOPPED.has(outcome)) return { code: 0, signal: null };
  return { code: attempt?.exit?.code ?? null, signal: attempt?.exit?.signal ?? null };
}

/** Only the end of an array says more of it. */
function sum({ job, occasion, elements }: Letter): string {
  if (occasion !== 'end' && occasion !== 'fail') return '';
  if (elements === null) return `, ${stateWord(job)}`;
  const { lowestCode, highestCode, highestSignal } = elements;
  if (highestSignal > 0) return `, Mixed, MaxSignal [${highestSignal}]`;
  const mixed = lowestCode === 0 && highestCode > 0;
  return `, ${mixed ? 'Mixed' : stateWord(job)}, ExitCode [${lowestCode}-${highestCode}]`;
}

/** `00:10:00`, `1-00:00:00`. */
function clock(durationMs: number): string {
  const total = Math.max(0, Math.floor(durationMs / 1000));
  const two = (value: number) => `${value}`.padStart(2, '0');
  const time = [Math.floor(total / 3600) % 24, Math.floor(total / 60) % 60, total % 60].map(two).join(':');
  const days = Math.floor(total / 86_400);
  return days > 0 ? `${days}-${time}` : time;
}
