/**
 * Jobs as Grid Engine's listings see them: each running task by itself, and those tasks of an array that wait alike
 * together. Worked out once for `qstat`, `qhost -j`, `qstat -j` and their XML. Values, not text: how each is printed
 * is the listing's business. Knows no option and no column.
 */

import type { JobId } from '../../model/ids.ts';
import type { Attempt, Job, NodeShare } from '../../model/job.ts';
import type { JobView } from '../../model/query.ts';
import { countOf, fromIndices, indicesOf, type RangeSet, rangeOf } from '../../model/ranges.ts';
import { gathered } from '../job-pages.ts';
import type { Asking } from '../program.ts';
import { isInError, type Section, sectionOf, stateOf } from './states.ts';
import { GRID_ENGINE } from './words.ts';

export interface JobFacts {
  readonly view: JobView;
  readonly job: Job;
  /** What people know it by: of a task, the number of its array. */
  readonly number: JobId;
  /** Which tasks of its array this stands for; null: it is no array. */
  readonly tasks: RangeSet | null;
  readonly section: Section;
  /** `qw`, `r`, `Eqw`. */
  readonly state: string;
  /** The run under way; of a finished job the last one. Null while it waits. */
  readonly attempt: Attempt | null;
  /** Where it runs, the first being its master. Empty while it waits. */
  readonly places: readonly Place[];
  /** What it has; while it waits, what it asked for at least. */
  readonly slots: number;
  /** When it started; while it waits, since when it does. */
  readonly since: number;
}

/** Some slots of a queue instance. */
export interface Place {
  readonly queue: string;
  readonly node: string;
  readonly slots: number;
}

/** `cpu@node1`. */
export function instanceName({ queue, node }: Pick<Place, 'queue' | 'node'>): string {
  return `${queue}@${node}`;
}

/** In the order of the views; a group is where its first task is. */
export function* jobFacts(views: readonly JobView[]): Asking<readonly JobFacts[]> {
  const groups = new Map<string, JobFacts[]>();
  const order: (readonly JobFacts[])[] = [];
  const all = yield* gathered(views, (view) => (isShown(view.job) ? [factsOf(view)] : []));
  for (const facts of all) {
    if (facts.tasks === null || facts.section === 'running') {
      order.push([facts]);
      continue;
    }
    const key = `${facts.number} ${facts.state}`;
    const group = groups.get(key);
    if (group === undefined) {
      const first = [facts];
      groups.set(key, first);
      order.push(first);
    } else group.push(facts);
  }
  return yield* gathered(order, (group) => [together(group)]);
}

/** One for each task. */
export function* eachTask(facts: JobFacts): Generator<JobFacts> {
  if (facts.tasks === null) yield facts;
  else for (const index of indicesOf(facts.tasks)) yield { ...facts, tasks: rangeOf(index, index) };
}

/** `1`, `1,3`, `2-8:2`: as Grid Engine writes task numbers and slot ranges. Two of them are listed. */
export function taskText(tasks: RangeSet): string {
  return tasks
    .map(([first, last, step]) => {
      if (first === last) return `${first}`;
      return last - first === step ? `${first},${last}` : `${first}-${last}:${step}`;
    })
    .join(',');
}

/** The task that the yard counts by itself; a job that is no array is its own task 1. */
export function taskNumber({ element }: Pick<Job, 'element'>): number {
  return element?.index ?? 1;
}

export function slotsOf({ nodes }: Attempt['placement'], dialect: string): number {
  return nodes.reduce((sum, share) => sum + slotsOfShare(share, dialect), 0);
}

/** A record of an array stands for the tasks that have none; without any there is nothing to show. */
function isShown({ array, phase }: Job): boolean {
  if (array === null || countOf(array.unstarted) > 0) return true;
  return phase === 'ended' && countOf(array.dropped) > 0;
}

function factsOf(view: JobView): JobFacts {
  const { job } = view;
  const { spec, element, submittedAt } = job;
  const section = sectionOf(job);
  const attempt = section === 'pending' ? null : job.attempt;
  const { dialect } = spec.origin;
  const places = section === 'running' && attempt !== null ? placesOf(job, attempt) : [];
  return {
    view,
    job,
    number: element?.array ?? job.id,
    tasks: tasksOf(job),
    section,
    state: stateOf(job),
    attempt,
    places,
    slots: attempt === null ? askedSlots(job) : slotsOf(attempt.placement, dialect),
    since: attempt?.startedAt ?? attempt?.assignedAt ?? sinceWhenWaiting(job) ?? submittedAt,
  };
}

function tasksOf({ element, array }: Job): RangeSet | null {
  if (element !== null) return rangeOf(element.index, element.index);
  if (array === null) return null;
  return countOf(array.unstarted) > 0 ? array.unstarted : array.dropped;
}

function placesOf({ spec }: Job, { placement }: Attempt): readonly Place[] {
  return placement.nodes.map((share) => ({
    queue: spec.queue,
    node: share.node,
    slots: slotsOfShare(share, spec.origin.dialect),
  }));
}

/** Elsewhere a rank may have several CPUs, and a slot is a CPU. */
function slotsOfShare({ ranks, cpus }: NodeShare, dialect: string): number {
  return dialect === GRID_ENGINE ? ranks : Math.max(cpus, 1);
}

function askedSlots({ spec: { resources } }: Job): number {
  return Math.max(resources.ranks * resources.cpusPerRank, resources.nodes.min);
}

/** What was started before waits since it was put back; what went wrong, since it was submitted. */
function sinceWhenWaiting(job: Job): number | null {
  const { phase, restarts, attempt } = job;
  return phase !== 'ended' && restarts > 0 && !isInError(job) ? (attempt?.endedAt ?? null) : null;
}

function together(group: readonly JobFacts[]): JobFacts {
  const first = group[0] as JobFacts;
  if (group.length === 1) return first;
  const indices = group.flatMap(({ tasks }) => [...indicesOf(tasks ?? [])]);
  return { ...first, tasks: fromIndices(indices) };
}
