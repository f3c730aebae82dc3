/**
 * Jobs as people name them (`12`, `12.3`, `12.1-5:2`, `train`, `tr*`) and the jobs of the yard that they mean. An array
 * is one job, whether its tasks have records or not; the numbers that the yard gives to tasks are nobody's business.
 * What has ended is not there. Knows no command and prints nothing.
 */

import type { JobId, JobRef } from '../../model/ids.ts';
import { ANY_JOB, type JobView } from '../../model/query.ts';
import { EMPTY, fromIndices, hasIndex, indicesOf, type RangeSet } from '../../model/ranges.ts';
import { liveJobs } from '../job-pages.ts';
import { type Asking, query } from '../program.ts';
import { isPattern, matchesPattern } from './patterns.ts';
import { readTaskSuffix } from './task-ranges.ts';

/** One word of a list of jobs. */
export interface JobWord {
  /** The number, or the name or pattern, as it was written. */
  readonly text: string;
  /** Null: a name or a pattern. */
  readonly number: JobId | null;
  /** Null: all of them. */
  readonly tasks: RangeSet | null;
}

/** A job as its owner counts them. */
export interface KnownJob {
  readonly id: JobId;
  /** Its own record; of an array, the one that stands for the tasks without records. */
  readonly view: JobView;
  readonly isArray: boolean;
  /** Of an array: the records of its tasks, in order of their numbers. */
  readonly elements: readonly JobView[];
  /** Of an array: tasks that have no record yet. */
  readonly unstarted: RangeSet;
}

/** What a word means of one job. */
export interface MeantTasks {
  /** Records that can be treated by themselves: of tasks, or the job itself where it is no array. */
  readonly records: readonly JobView[];
  readonly unstarted: RangeSet;
}

/** What Grid Engine keeps a number in. */
const MOST_NUMBER = 0xffff_ffff;

/** Null when it begins like a number and is none. */
export function readJobWord(text: string): JobWord | null {
  if (!/^\d/.test(text)) return { text, number: null, tasks: null };
  const match = /^(\d{1,10})(?:\.(.*))?$/.exec(text);
  if (match === null) return null;
  const number = Number(match[1]);
  const tasks = match[2] === undefined ? null : readTaskSuffix(match[2]);
  if (number === 0 || number > MOST_NUMBER || (match[2] !== undefined && tasks === null)) return null;
  return { text: match[1] as string, number, tasks };
}

/** What stands between commas. */
export function listedWords(text: string): readonly string[] {
  return text.split(',').filter((each) => each !== '');
}

/** The word with more tasks. */
export function withTasks(word: JobWord, tasks: RangeSet): JobWord {
  if (word.tasks === null) return { ...word, tasks };
  return { ...word, tasks: [...word.tasks, ...tasks] };
}

/** The job of that number, unless it has ended. */
export function* jobNumbered(number: JobId): Asking<KnownJob | null> {
  const found = yield* query('job', { ref: { job: number, index: null } });
  if (found === null || found.view.job.phase === 'ended' || found.view.job.element !== null) return null;
  const { view, elements } = found;
  const { array, spec } = view.job;
  if (array === null) return knownJob(view, []);
  const live = elements.filter(({ job }) => job.phase !== 'ended');
  if (live.length >= array.live) return knownJob(view, live);
  // More than are told of one job.
  const all = yield* liveJobs({ ...ANY_JOB, users: [spec.user] });
  return knownJob(
    view,
    all.filter(({ job }) => job.element?.array === number),
  );
}

/** By number; all of them, or those of certain users, who may be named by patterns. */
export function* knownJobs(users: readonly string[] | null): Asking<readonly KnownJob[]> {
  const named = users?.some(isPattern) === false ? users : null;
  const views = yield* liveJobs({ ...ANY_JOB, users: named });
  return together(views.filter(({ job }) => isOfUsers(job.spec.user, users)));
}

/** The jobs that a word means among those of certain users; null: everybody's. */
export function* jobsMeant(word: JobWord, users: readonly string[] | null): Asking<readonly KnownJob[]> {
  if (word.number !== null) {
    const known = yield* jobNumbered(word.number);
    return known !== null && isOfUsers(known.view.job.spec.user, users) ? [known] : [];
  }
  const known = yield* knownJobs(users);
  return known.filter(({ view }) => matchesPattern(word.text, view.job.spec.name));
}

/** Those of the job's tasks that were named. A job that is no array is its own task 1. */
export function tasksMeant(
  { view, isArray, elements, unstarted }: KnownJob,
  tasks: RangeSet | null,
): MeantTasks {
  if (!isArray) return { records: tasks === null || hasIndex(tasks, 1) ? [view] : [], unstarted: EMPTY };
  if (tasks === null) return { records: elements, unstarted };
  return {
    records: elements.filter(({ job }) => hasIndex(tasks, job.element?.index ?? 0)),
    unstarted: fromIndices([...indicesOf(unstarted)].filter((index) => hasIndex(tasks, index))),
  };
}

/** How the yard is told which record is meant. */
export function refOf({ job: { id, element } }: JobView): JobRef {
  return element === null ? { job: id, index: null } : { job: element.array, index: element.index };
}

function isOfUsers(user: string, users: readonly string[] | null): boolean {
  return users === null || users.some((pattern) => matchesPattern(pattern, user));
}

function together(views: readonly JobView[]): readonly KnownJob[] {
  const elements = new Map<JobId, JobView[]>();
  for (const view of views) {
    const { element } = view.job;
    if (element === null) continue;
    const siblings = elements.get(element.array);
    if (siblings === undefined) elements.set(element.array, [view]);
    else siblings.push(view);
  }
  return views
    .filter(({ job }) => job.element === null)
    .map((view) => knownJob(view, elements.get(view.job.id) ?? []))
    .sort((a, b) => a.id - b.id);
}

function knownJob(view: JobView, elements: readonly JobView[]): KnownJob {
  const { id, array } = view.job;
  return {
    id,
    view,
    isArray: array !== null,
    elements: [...elements].sort((a, b) => (a.job.element?.index ?? 0) - (b.job.element?.index ?? 0)),
    unstarted: array?.unstarted ?? EMPTY,
  };
}
