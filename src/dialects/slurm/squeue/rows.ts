/**
 * The lines of a listing of jobs: which jobs, and of an array which of its elements, each line stands for. Values,
 * not text. Knows no option and no column.
 */

import type { Job } from '../../../model/job.ts';
import type { Policy } from '../../../model/policy.ts';
import type { JobView, UserView } from '../../../model/query.ts';
import { countOf, hasIndex, indicesOf, type RangeSet, rangeOf } from '../../../model/ranges.ts';
import { isShown, type JobFacts, jobFacts } from '../job-facts.ts';

/** What every line of one listing is told by. */
export interface Scene {
  readonly now: number;
  readonly momentText: (at: number) => string;
  readonly policy: Policy;
  readonly cluster: string;
  readonly users: ReadonlyMap<string, UserView>;
  /** Whether amounts of memory are told in the largest unit that fits. */
  readonly convert: boolean;
  readonly taskListLength: number;
  /** When a waiting job is expected to start, where somebody found out. */
  readonly expectedStarts: ReadonlyMap<number, number>;
}

export interface JobRow {
  readonly scene: Scene;
  readonly facts: JobFacts;
  readonly job: Job;
  /** Null when it is no part of an array. */
  readonly tasks: RowTasks | null;
}

export interface RowTasks {
  readonly arrayId: number;
  readonly indices: RangeSet;
  /** Whether the line is about one element by itself. */
  readonly single: boolean;
  /** At most so many at once, where the line says it. */
  readonly throttle: number | null;
}

/** How elements that wait are shown: together, each by itself, or together save those that were started before. */
export type ElementStyle = 'together' | 'apart' | 'unique';

/** Which jobs were asked for: whole ones, and elements of arrays. */
export interface AskedJobs {
  readonly whole: ReadonlySet<number>;
  readonly elements: ReadonlyMap<number, RangeSet>;
}

/** One for each line that tells of the job. */
export function rowsOfJob(
  view: JobView,
  scene: Scene,
  style: ElementStyle,
  asked: AskedJobs | null,
): readonly JobRow[] {
  if (!isShown(view.job)) return [];
  const facts = jobFacts(view, scene.now);
  return tasksShown(facts, style, asked).map((tasks) => ({ scene, facts, job: view.job, tasks }));
}

/** One entry for each line; none when nothing of the job was asked for. */
function tasksShown(
  { job, array }: JobFacts,
  style: ElementStyle,
  asked: AskedJobs | null,
): readonly (RowTasks | null)[] {
  const isWhole =
    asked === null || asked.whole.has(job.id) || (array !== null && asked.whole.has(array.jobId));
  if (array === null) return isWhole ? [null] : [];
  const { jobId: arrayId, tasks: indices, throttle } = array;
  const one = (index: number) => ({ arrayId, indices: rangeOf(index, index), single: true, throttle: null });
  const isElement = job.element !== null;
  if (isWhole) {
    if (isElement) return [{ arrayId, indices, single: true, throttle: null }];
    return style === 'apart'
      ? [...indicesOf(indices)].map(one)
      : [{ arrayId, indices, single: false, throttle }];
  }
  const wanted = asked?.elements.get(arrayId) ?? [];
  return [...indicesOf(wanted)].filter((index) => hasIndex(indices, index)).map(one);
}

/**
 * Where a job stands in Slurm's own list, which decides between equals. There the first element of an array that
 * starts takes over its record, and what is left of the array goes on at the end.
 */
export function listPlace({ job }: JobRow): number {
  const { array, element, spec, id } = job;
  if (element !== null) return spec.array?.indices[0]?.[0] === element.index ? element.array : id;
  if (array === null || spec.array === null) return id;
  const begun = countOf(array.unstarted) < countOf(spec.array.indices);
  return begun && job.phase !== 'ended' ? Number.MAX_SAFE_INTEGER : id;
}
