/** What `qmod` does to jobs: suspends them, lets them go on, starts them again, clears their errors. */

import { isLive, type Job } from '../../../model/job.ts';
import type { JobView } from '../../../model/query.ts';
import { countOf, indicesOf } from '../../../model/ranges.ts';
import { type Asking, command, printOut } from '../../program.ts';
import { type Changer, mayChange } from '../changer.ts';
import { taskNumber } from '../job-facts.ts';
import { type JobWord, jobsMeant, type KnownJob, refOf, tasksMeant } from '../job-list.ts';
import { isInError } from '../states.ts';
import { GRID_ENGINE, wordOf } from '../words.ts';
import type { Verb } from './call.ts';

/** Who does it, and whether also where it would be refused. */
export interface Doer extends Changer {
  readonly force: boolean;
}

/** Whether the exit code says that all went well. */
export function* dealWithJobs(doer: Doer, verb: Verb, word: JobWord): Asking<boolean | 'noSuchJob'> {
  const jobs = yield* jobsMeant(word, null);
  let isDone: boolean | 'noSuchJob' = jobs.length > 0 ? true : 'noSuchJob';
  for (const known of jobs) {
    const went = yield* dealWithJob(doer, verb, known, word);
    if (went !== true) isDone = went;
  }
  return isDone;
}

function* dealWithJob(
  doer: Doer,
  verb: Verb,
  known: KnownJob,
  { tasks }: JobWord,
): Asking<boolean | 'noSuchJob'> {
  const { records, unstarted } = tasksMeant(known, tasks);
  if (records.length === 0 && countOf(unstarted) === 0) return 'noSuchJob';
  if (!mayChange(doer, known)) {
    yield* noPermission(doer, known);
    return false;
  }
  const begun = new Map(records.filter(hasBegun).map((view) => [taskNumber(view.job), view]));
  if (tasks === null && begun.size === 0) {
    yield* printOut(cannotApply(known.isArray ? `job ${known.id}` : `job-array task ${known.id}.1`));
    return true;
  }
  const indices = [...records.map(({ job }) => taskNumber(job)), ...indicesOf(unstarted)].sort(
    (a, b) => a - b,
  );
  let isDone = true;
  for (const index of tasks === null ? begun.keys() : indices) {
    const view = begun.get(index);
    if (view === undefined) yield* printOut(cannotApply(`job-array task ${known.id}.${index}`));
    else if (!(yield* dealWithOne(doer, verb, view))) isDone = false;
  }
  return isDone;
}

export function* noPermission({ user }: Doer, { id }: KnownJob): Asking<void> {
  yield* printOut(`${user} - you have no permission to modify job "${id}"\n`);
}

/** A task that runs, has run, or came to grief on the way there. */
function hasBegun({ job }: JobView): boolean {
  return job.attempt !== null || isInError(job);
}

function cannotApply(name: string): string {
  return `Modify operation can not be applied on ${name} in pending/hold state\n`;
}

export function* dealWithOne(doer: Doer, verb: Verb, view: JobView): Asking<boolean> {
  switch (verb) {
    case 'suspend':
      return yield* suspend(doer, view);
    case 'unsuspend':
      return yield* unsuspend(doer, view);
    case 'reschedule':
      return yield* reschedule(doer, view);
    case 'clear':
      return yield* clear(doer, view);
    case 'disable':
    case 'enable':
      return true;
  }
}

function nameOf({ id, element }: Job): string {
  return element === null ? `job ${id}` : `job-array task ${element.array}.${element.index}`;
}

function* suspend({ user, force }: Doer, view: JobView): Asking<boolean> {
  const { job } = view;
  if (job.phase !== 'active' || !isLive(job.attempt)) return true;
  const name = nameOf(job);
  if (isSuspended(job)) {
    yield* printOut(
      force ? `${user} - forced suspension of ${name}\n` : `${user} - ${name} is already suspended\n`,
    );
    return true;
  }
  const result = yield* command({ type: 'suspend', target: refOf(view), by: user });
  if (!result.ok) return yield* tooLateOrEarly(user, job);
  yield* printOut(force ? `${user} - forced suspension of ${name}\n` : `${user} - suspended ${name}\n`);
  return true;
}

function* unsuspend({ user, host, force }: Doer, view: JobView): Asking<boolean> {
  const { job } = view;
  if (job.phase !== 'active' || !isLive(job.attempt)) return true;
  const name = nameOf(job);
  if (!isSuspended(job)) {
    yield* printOut(
      force ? `${user} - forced enabling of ${name}\n` : `${user} - ${name} is already unsuspended\n`,
    );
    return true;
  }
  const result = yield* command({ type: 'resume', target: refOf(view), by: user });
  if (!result.ok) return yield* tooLateOrEarly(user, job);
  yield* printOut(
    force ? `${user}@${host} forced unsuspension of ${name}\n` : `${user} - unsuspended ${name}\n`,
  );
  return true;
}

/** It has a place and does not run there yet, or it runs and has been told to end. */
function* tooLateOrEarly(user: string, job: Job): Asking<boolean> {
  if (job.attempt?.startedAt === null) {
    yield* printOut(cannotApply(nameOf(job)));
    return true;
  }
  yield* printOut(`${user} - ${nameOf(job)} is coming to its end\n`);
  return false;
}

/** By somebody, not by its queue; or it will be in a moment. */
function isSuspended({ attempt }: Job): boolean {
  if (attempt === null) return false;
  return (attempt.suspendedFor ?? (attempt.suspendedAt === null ? [] : ['job'])).includes('job');
}

function* reschedule({ user, force }: Doer, view: JobView): Asking<boolean> {
  const { job } = view;
  if (job.phase !== 'active' || !isLive(job.attempt)) return true;
  const name = nameOf(job);
  const { stop, placement } = job.attempt;
  if (stop !== null) {
    if (stop.cause !== 'requeued')
      yield* printOut(`The ${name} is already in deleted state. No rescheduling!\n`);
    return true;
  }
  const mayRunAgain =
    job.spec.origin.dialect === GRID_ENGINE ? wordOf(job, 'rerun') !== 'n' : job.spec.requeue;
  const result =
    force || mayRunAgain
      ? yield* command({ type: 'requeue', target: refOf(view), by: user, hold: false })
      : null;
  if (result === null || !result.ok) yield* printOut(`The ${name} is not restartable\n`);
  else if (result.changed) {
    const host = placement.nodes[0]?.node ?? 'unknown';
    yield* printOut(`${force ? 'Forced' : 'Pushed'} rescheduling of ${name} on host ${host}\n`);
  }
  return true;
}

/** The original's exit code is 1 here, whether there was an error to clear or not. */
function* clear({ user, host }: Doer, view: JobView): Asking<boolean> {
  const { job } = view;
  const name = nameOf(job);
  const result = isInError(job) ? yield* command({ type: 'release', target: refOf(view), by: user }) : null;
  yield* printOut(
    result?.ok === true && result.changed
      ? `${user}@${host} cleared error state of ${name}\n`
      : `J${name.slice(1)} is not in error state\n`,
  );
  return false;
}
