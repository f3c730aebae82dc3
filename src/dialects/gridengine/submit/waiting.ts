/** `-sync y` and `-now y`: staying until a job has ended, or until it is known whether it starts at once. */

import type { JobId } from '../../../model/ids.ts';
import type { Job } from '../../../model/job.ts';
import { ANY_JOB } from '../../../model/query.ts';
import { countOf, indicesOf } from '../../../model/ranges.ts';
import { signalName } from '../../../model/signals.ts';
import {
  type Asking,
  awaitChangeOrSignal,
  command,
  printErr,
  printOut,
  query,
  whenCallerGoes,
} from '../../program.ts';
import { keepWaitingFor } from '../../waiting-caller.ts';

/** A change wakes us; looking again now and then costs little. */
const LOOK_AGAIN_MS = 10_000;
const MOST_TASKS = 1_000_000;

export interface Waiting {
  readonly user: string;
  /** Nothing is said about what went well. */
  readonly isTerse: boolean;
}

/** The exit code: that of the job, or of the first task that failed. Whoever interrupts it deletes the job. */
export function* awaitEnd(id: JobId, { user, isTerse }: Waiting): Asking<number> {
  const ref = { job: id, index: null };
  yield* whenCallerGoes({ type: 'cancel', target: ref, by: user });
  yield* keepWaitingFor(id);
  for (;;) {
    const job = (yield* query('job', { ref }))?.view.job ?? null;
    if (job === null || job.phase === 'ended') {
      yield* whenCallerGoes(null);
      return job === null ? 0 : yield* sayEndings(job, isTerse);
    }
    const signal = yield* awaitChangeOrSignal([id], LOOK_AGAIN_MS);
    if (signal === null) continue;
    yield* printErr('\nInterrupted!\nPlease wait while qsub shuts down.\n');
    yield* whenCallerGoes(null);
    yield* command({ type: 'cancel', target: ref, by: user });
    return 1;
  }
}

function* sayEndings(job: Job, isTerse: boolean): Asking<number> {
  if (job.array === null) return yield* sayEnding(`${job.id}`, job, isTerse);
  const refs = [{ job: job.id, index: null }];
  const records = yield* query('accounting', { ...ANY_JOB, refs, limit: MOST_TASKS });
  const tasks = records
    .map(({ view }) => view.job)
    .filter(({ element }) => element?.array === job.id)
    .sort((a, b) => (a.element?.index ?? 0) - (b.element?.index ?? 0));
  let exitCode = 0;
  for (const task of tasks) {
    const code = yield* sayEnding(`${job.id}.${task.element?.index}`, task, isTerse);
    if (exitCode === 0) exitCode = code;
  }
  // Those that never began.
  const dropped = [...indicesOf(job.array.dropped)];
  if (dropped.length === 0) return exitCode;
  yield* printErr(dropped.map((index) => `Unable to run job ${job.id}.${index}\n`).join(''));
  return exitCode === 0 ? 1 : exitCode;
}

function* sayEnding(number: string, { outcome, attempt }: Job, isTerse: boolean): Asking<number> {
  const exit = attempt?.exit ?? null;
  if (exit === null || outcome === 'cancelled') {
    yield* printErr(`Unable to run job ${number}\n`);
    return 1;
  }
  if (exit.code !== null) {
    const line = `Job ${number} exited with exit code ${exit.code}.\n`;
    if (exit.code !== 0) yield* printErr(line);
    else if (!isTerse) yield* printOut(line);
    return exit.code;
  }
  yield* printErr(
    exit.signal === null
      ? `Unable to run job ${number}\n`
      : `Job ${number} exited because of signal ${signalName(exit.signal)}\n`,
  );
  return 1;
}

/** Whether it starts at once, all of it. A job that does not is gone again. */
export function* startsAtOnce(id: JobId, shown: string, user: string): Asking<boolean> {
  const ref = { job: id, index: null };
  yield* printErr('Waiting for immediate job to be scheduled.\n');
  const job = (yield* query('job', { ref }))?.view.job ?? null;
  if (job !== null && hasStarted(job)) {
    yield* printErr(`\nYour immediate job ${shown} has been successfully scheduled.\n`);
    return true;
  }
  yield* command({ type: 'cancel', target: ref, by: user });
  yield* printErr('\nYour qsub request could not be scheduled; try again later.\n');
  return false;
}

function hasStarted({ phase, array }: Job): boolean {
  if (phase === 'ended') return true;
  return array === null ? phase === 'active' : countOf(array.unstarted) === 0;
}
