/** How a job ended: as part of a sentence, and as an exit code. */

import { displayId, type Exit, type Job, type Outcome } from '../../model/job.ts';
import { signalName } from '../../model/signals.ts';
import { formatBytes, formatDuration } from '../../model/units.ts';

const EXIT_WITHOUT_STATUS = 1;
const SIGNAL_BASE = 128;

const ENDINGS: Readonly<Record<Outcome, (job: Job) => string>> = {
  completed: () => 'completed',
  failed: failure,
  cancelled: (job) => `was cancelled${job.endedBy === null ? '' : ` by ${job.endedBy}`}${before(job)}`,
  timeout: (job) =>
    job.spec.limitMs === null
      ? 'ran out of its time limit'
      : `ran out of its time limit of ${formatDuration(job.spec.limitMs)}`,
  outOfMemory: (job) => {
    const peak = job.attempt?.usage?.peakMemoryBytes ?? null;
    const held = job.attempt?.placement.nodes[0]?.memoryBytes ?? null;
    if (peak === null) return 'ran out of memory';
    return `ran out of memory: it used ${formatBytes(peak)}${held === null ? '' : ` and had ${formatBytes(held)}`}`;
  },
  deviceOutOfMemory: () => 'ran out of the memory of a GPU',
  preempted: () => 'was preempted, and may not be started again',
  nodeLost: () => 'was lost with its node',
  dependencyFailed: () => 'was dropped, since what it depended on can no longer happen',
  deadline: () => 'was dropped, since it could not end by its deadline',
};

/** `job 17 failed with exit code 3`. */
export function endingSentence(job: Job): string {
  return `job ${displayId(job)} ${job.outcome === null ? 'ended' : ENDINGS[job.outcome](job)}`;
}

/**
 * What `wait` returns for it: the code, 128 and the signal, and never 0 for a job that did not complete (a
 * cancelled one may have said 0 on its way out).
 */
export function exitStatus(job: Job): number {
  if (job.outcome === 'completed') return 0;
  const exit = job.attempt?.exit ?? null;
  if (exit !== null && exit.signal !== null) return SIGNAL_BASE + exit.signal;
  return (exit?.code ?? 0) & 0xff || EXIT_WITHOUT_STATUS;
}

/** `0`, `3`, `SIGKILL`, or nothing when it never ran. */
export function exitText(job: Job): string {
  return exitWord(job.attempt?.exit ?? null);
}

export function exitWord(exit: Exit | null): string {
  if (exit === null) return '';
  if (exit.signal !== null) return signalName(exit.signal);
  return exit.code === null ? '' : `${exit.code}`;
}

function failure(job: Job): string {
  const exit = job.attempt?.exit ?? null;
  if (exit !== null && exit.signal !== null) return `was ended by ${signalName(exit.signal)}`;
  if (exit !== null && exit.code !== null) return `failed with exit code ${exit.code}`;
  return job.attempt?.fault === null || job.attempt === null
    ? 'failed'
    : `could not run: ${job.attempt.fault}`;
}

function before(job: Job): string {
  return job.attempt === null ? ' before it started' : '';
}
