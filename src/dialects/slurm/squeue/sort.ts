/** Orders of `squeue -S`. */

import { sorted } from '../../job-pages.ts';
import type { Asking } from '../../program.ts';
import { failure } from '../failure.ts';
import {
  byNumber,
  byText,
  compareHosts,
  type Order,
  type Orders,
  orderBy,
  readSortKeys,
  type SortKey,
  sortedBy,
} from '../listing/sort.ts';
import { partitionsOf } from '../partitions.ts';
import { wordOf } from '../words.ts';
import {
  endAtOf,
  executingHost,
  leastCpusPerNode,
  priorityOf,
  sharingText,
  startAtOf,
  timeLeftMs,
  writtenBytes,
} from './job-values.ts';
import type { JobRow } from './rows.ts';
import type { StepRow } from './steps.ts';

export const USUAL_JOB_ORDER = 'P,t,-p';
export const USUAL_STEP_ORDER = 'P,i';
export const START_ORDER = 'S';

/** What there is none of comes last, and so do times that nobody knows. */
const NEVER = Number.MAX_SAFE_INTEGER;

const alike: Order<unknown> = () => 0;

function byEnd(row: JobRow): number {
  const endAt = endAtOf(row);
  return endAt === null || endAt === 'never' ? NEVER : endAt;
}

function byIdentity(a: JobRow, b: JobRow): number {
  return arrayOrJob(a) - arrayOrJob(b) || taskOf(a) - taskOf(b);
}

function arrayOrJob({ job, tasks }: JobRow): number {
  return tasks?.single === true ? tasks.arrayId : job.id;
}

function taskOf({ tasks }: JobRow): number {
  return tasks?.single === true ? (tasks.indices[0]?.[0] ?? 0) : NEVER;
}

const priority = byNumber(priorityOf);

const JOB_ORDERS: Orders<JobRow> = {
  B: byText((row) => executingHost(row) ?? ''),
  c: byNumber(leastCpusPerNode),
  C: byNumber(({ facts }) => facts.tres.cpus),
  d: byNumber(({ job }) => writtenBytes(wordOf(job, 'tmp'))),
  D: byNumber(({ facts }) => facts.tres.nodes),
  e: byNumber(byEnd),
  f: byText(({ job }) => job.spec.resources.constraint ?? ''),
  g: byText(({ job, scene }) => scene.users.get(job.spec.user)?.group ?? ''),
  G: byNumber(({ job, scene }) => scene.users.get(job.spec.user)?.gid ?? NEVER),
  h: byText(sharingText),
  H: alike,
  i: byIdentity,
  I: alike,
  j: byText(({ job }) => job.spec.name),
  J: alike,
  l: byNumber(({ job }) => job.spec.limitMs ?? NEVER),
  L: byNumber((row) => timeLeftMs(row) ?? NEVER),
  m: byNumber(({ job }) => job.spec.resources.memory?.bytes ?? 0),
  M: byNumber(({ facts }) => facts.runMs),
  n: (a, b) => compareHosts(a.job.spec.resources.onlyNodes[0] ?? '', b.job.spec.resources.onlyNodes[0] ?? ''),
  N: (a, b) => compareHosts(a.facts.nodes[0] ?? '', b.facts.nodes[0] ?? ''),
  O: byNumber(({ job }) => Number(wordOf(job, 'contiguous') !== null)),
  p: priority,
  P: byText(({ job }) => partitionsOf(job).join(',')),
  Q: priority,
  S: byNumber((row) => startAtOf(row) ?? NEVER),
  t: byText(({ facts }) => facts.state.code),
  T: byText(({ facts }) => facts.state.name),
  u: byText(({ job }) => job.spec.user),
  U: byNumber(({ job, scene }) => scene.users.get(job.spec.user)?.uid ?? NEVER),
  v: byText(({ job }) => wordOf(job, 'reservation') ?? ''),
  V: byNumber(({ job }) => job.submittedAt),
  z: alike,
};

const STEP_ORDERS: Orders<StepRow> = {
  i: (a, b) => a.job.id - b.job.id || (a.step?.n ?? NEVER) - (b.step?.n ?? NEVER),
  j: byText(({ step }) => step?.name ?? 'batch'),
  l: alike,
  M: byNumber(({ startAt }) => -startAt),
  N: (a, b) => compareHosts(a.nodeList, b.nodeList),
  P: byText(({ job }) => job.spec.queue),
  S: byNumber(({ startAt }) => startAt),
  u: byText(({ job }) => job.spec.user),
  U: byNumber(({ job, scene }) => scene.users.get(job.spec.user)?.uid ?? NEVER),
};

/** By cluster, which is always the same one. */
const CLUSTER_WORD = 'cluster';

/** What the original complains about without giving up. */
export const IGNORED_ORDER = 'b';

export function* sortedJobs(rows: readonly JobRow[], text: string): Asking<JobRow[]> {
  const keys = keysOf(text);
  // The original begins with the least important.
  const unknown = keys.findLast(({ letter }) => !Object.hasOwn(JOB_ORDERS, letter))?.letter;
  if (unknown !== undefined) throw failure('squeue', `Invalid sort specification: ${unknown}`);
  const orders = keys.map(({ letter, descending }) => ({
    order: JOB_ORDERS[letter] as Order<JobRow>,
    descending,
  }));
  return yield* sorted(rows, orderBy(orders));
}

/** Letters that say nothing about a step leave steps as they are. */
export function sortedSteps(rows: readonly StepRow[], text: string): StepRow[] {
  return sortedBy(
    rows,
    keysOf(text).flatMap(({ letter, descending }) =>
      Object.hasOwn(STEP_ORDERS, letter)
        ? [{ order: STEP_ORDERS[letter] as Order<StepRow>, descending }]
        : [],
    ),
  );
}

function keysOf(text: string): readonly SortKey[] {
  if (text.toLowerCase() === CLUSTER_WORD) return [];
  return readSortKeys(text).filter(({ letter }) => letter !== IGNORED_ORDER);
}
