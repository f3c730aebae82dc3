/** Deletes one job or some of its tasks, and says which of them are gone and which will be. */

import type { JobRef } from '../../../model/ids.ts';
import { isLive, type StopCause } from '../../../model/job.ts';
import type { JobView } from '../../../model/query.ts';
import { firstOf, fromIndices, indicesOf, type RangeSet } from '../../../model/ranges.ts';
import type { Refusal } from '../../../model/refusal.ts';
import { type Asking, type CommandResult, command, printOut } from '../../program.ts';
import { taskNumber, taskText } from '../job-facts.ts';
import { jobNumbered, type KnownJob, refOf, tasksMeant } from '../job-list.ts';
import { rangeText } from '../task-ranges.ts';

export interface Deletion {
  readonly user: string;
  readonly force: boolean;
}

/** A job that only comes back can still be deleted. */
const COMES_BACK: ReadonlySet<StopCause> = new Set<StopCause>(['preempted', 'requeued', 'requeuedHeld']);

/** Whether all went well. */
export function* deleteJob(deletion: Deletion, known: KnownJob, tasks: RangeSet | null): Asking<boolean> {
  return tasks === null ? yield* deleteWhole(deletion, known) : yield* deleteTasks(deletion, known, tasks);
}

/** At once, so that no task starts because others make room. */
function* deleteWhole(deletion: Deletion, known: KnownJob): Asking<boolean> {
  const { user, force } = deletion;
  const result = yield* cancel(deletion, { job: known.id, index: null });
  if (!result.ok) return yield* complain(deletion, known, result.refusal);
  // What has come to its end since we looked is not there any more.
  const seen = result.changed || force ? known : yield* jobNumbered(known.id);
  if (seen === null) return yield* noSuchJob(`${known.id}`);
  const { records, unstarted } = tasksMeant(seen, null);
  const active = records.filter(isActive);
  yield* announceActive(deletion, seen, active);
  if (active.length < records.length || unstarted.length > 0)
    yield* printOut(`${user} has deleted job ${known.id}\n`);
  return true;
}

function* deleteTasks(deletion: Deletion, known: KnownJob, tasks: RangeSet): Asking<boolean> {
  const { records, unstarted } = tasksMeant(known, tasks);
  const gone: number[] = [];
  const ended = new Set<JobView>();
  const waiting: readonly (readonly [number, JobRef])[] = [
    ...[...indicesOf(unstarted)].map((index) => [index, { job: known.id, index }] as const),
    ...records.filter((view) => !isActive(view)).map((view) => [taskNumber(view.job), refOf(view)] as const),
  ];
  for (const [index, target] of waiting) {
    const result = yield* cancel(deletion, target);
    if (result.ok && result.changed) gone.push(index);
    else if (!result.ok && result.refusal.code === 'notAllowed')
      return yield* complain(deletion, known, result.refusal);
  }
  for (const view of records.filter(isActive)) {
    const result = yield* cancel(deletion, refOf(view));
    if (!result.ok && result.refusal.code === 'notAllowed')
      return yield* complain(deletion, known, result.refusal);
    if (!result.ok || (!result.changed && !isInDeletion(view))) ended.add(view);
  }
  const active = records.filter((view) => isActive(view) && !ended.has(view));
  if (gone.length === 0 && active.length === 0) return yield* nothingThere(known, tasks);
  yield* announceActive(deletion, known, active);
  if (gone.length > 0)
    yield* printOut(`${deletion.user} has deleted ${tasksText(known, fromIndices(gone))}\n`);
  return true;
}

function* cancel({ user: by, force }: Deletion, target: JobRef): Asking<CommandResult> {
  return yield* command({ type: 'cancel', target, by, ...(force ? { atOnce: true } : {}) });
}

function* announceActive(
  { user, force }: Deletion,
  known: KnownJob,
  active: readonly JobView[],
): Asking<void> {
  for (const view of active) {
    const name = known.isArray ? `job-array task ${known.id}.${taskNumber(view.job)}` : `job ${known.id}`;
    if (force) {
      yield* printOut(`${user} forced the deletion of ${name}\n`);
    } else if (isInDeletion(view)) yield* printOut(`job ${known.id} is already in deletion\n`);
    else yield* printOut(`${user} has registered the ${name} for deletion\n`);
  }
}

function tasksText({ id }: KnownJob, gone: RangeSet): string {
  const [run, ...others] = gone;
  return run !== undefined && others.length === 0 && run[0] === run[1]
    ? `job-array task ${id}.${run[0]}`
    : `job-array tasks ${taskText(gone)} of job ${id}`;
}

function isActive({ job: { attempt, phase } }: JobView): boolean {
  return phase === 'active' && isLive(attempt);
}

function isInDeletion({ job: { attempt } }: JobView): boolean {
  return attempt !== null && attempt.stop !== null && !COMES_BACK.has(attempt.stop.cause);
}

function* complain({ user }: Deletion, { id }: KnownJob, { code }: Refusal): Asking<boolean> {
  if (code !== 'notAllowed') return yield* noSuchJob(`${id}`);
  yield* printOut(`${user} - you do not have the necessary privileges to delete the job "${id}"\n`);
  return false;
}

export function* noSuchJob(text: string): Asking<boolean> {
  yield* printOut(`denied: job "${text}" does not exist\n`);
  return false;
}

function* nothingThere({ id }: KnownJob, tasks: RangeSet): Asking<boolean> {
  const [run, ...others] = tasks;
  const isOne = run !== undefined && others.length === 0 && run[0] === run[1];
  yield* printOut(
    isOne
      ? `job "${id}" task "${firstOf(tasks)}" does not exist\n`
      : `job "${id}" task id range "${rangeText(tasks)}" comprises no tasks\n`,
  );
  return false;
}
