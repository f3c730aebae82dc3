/** Orders of `squeue -S`. */

import { failure } from '../failure.ts';
import {
  byNumber,
  byText,
  compareHosts,
  compareTexts,
  type Order,
  type Orders,
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
import type { Line } from './lines.ts';
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

/** What a line is sorted by. */
export type SortValue = number | string;

interface JobOrder {
  readonly key: (row: JobRow) => SortValue;
  readonly compare: (a: never, b: never) => number;
}

function ofNumber(key: (row: JobRow) => number): JobOrder {
  return { key, compare: (a: number, b: number) => a - b };
}

function ofText(key: (row: JobRow) => string): JobOrder {
  return { key, compare: compareTexts };
}

function ofHost(key: (row: JobRow) => string): JobOrder {
  return { key, compare: compareHosts };
}

const ALIKE = ofNumber(() => 0);

/** The number of a line is known without a key, and changes when elements are told together. */
const IDENTITY = ofNumber(() => 0);

function compareIdentities(a: Line, b: Line): number {
  return arrayOrJob(a) - arrayOrJob(b) || taskOf(a) - taskOf(b);
}

function arrayOrJob({ id, tasks }: Line): number {
  return tasks?.single === true ? tasks.arrayId : id;
}

function taskOf({ tasks }: Line): number {
  return tasks?.single === true ? (tasks.indices[0]?.[0] ?? 0) : NEVER;
}

const priority = ofNumber(priorityOf);

const JOB_ORDERS: Readonly<Record<string, JobOrder>> = {
  B: ofText((row) => executingHost(row) ?? ''),
  c: ofNumber(leastCpusPerNode),
  C: ofNumber(({ facts }) => facts.tres.cpus),
  d: ofNumber(({ job }) => writtenBytes(wordOf(job, 'tmp'))),
  D: ofNumber(({ facts }) => facts.tres.nodes),
  e: ofNumber(byEnd),
  f: ofText(({ job }) => job.spec.resources.constraint ?? ''),
  g: ofText(({ job, scene }) => scene.users.get(job.spec.user)?.group ?? ''),
  G: ofNumber(({ job, scene }) => scene.users.get(job.spec.user)?.gid ?? NEVER),
  h: ofText(sharingText),
  H: ALIKE,
  i: IDENTITY,
  I: ALIKE,
  j: ofText(({ job }) => job.spec.name),
  J: ALIKE,
  l: ofNumber(({ job }) => job.spec.limitMs ?? NEVER),
  L: ofNumber((row) => timeLeftMs(row) ?? NEVER),
  m: ofNumber(({ job }) => job.spec.resources.memory?.bytes ?? 0),
  M: ofNumber(({ facts }) => facts.runMs),
  n: ofHost(({ job }) => job.spec.resources.onlyNodes[0] ?? ''),
  N: ofHost(({ facts }) => facts.nodes[0] ?? ''),
  O: ofNumber(({ job }) => Number(wordOf(job, 'contiguous') !== null)),
  p: priority,
  P: ofText(({ job }) => partitionsOf(job).join(',')),
  Q: priority,
  S: ofNumber((row) => startAtOf(row) ?? NEVER),
  t: ofText(({ facts }) => facts.state.code),
  T: ofText(({ facts }) => facts.state.name),
  u: ofText(({ job }) => job.spec.user),
  U: ofNumber(({ job, scene }) => scene.users.get(job.spec.user)?.uid ?? NEVER),
  v: ofText(({ job }) => wordOf(job, 'reservation') ?? ''),
  V: ofNumber(({ job }) => job.submittedAt),
  z: ALIKE,
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

export type JobOrders = readonly { readonly order: JobOrder; readonly descending: boolean }[];

/** Letters that there are not are left to be complained about. */
export function jobOrders(text: string): JobOrders {
  return keysIn(text).flatMap(({ letter, descending }) =>
    Object.hasOwn(JOB_ORDERS, letter) ? [{ order: JOB_ORDERS[letter] as JobOrder, descending }] : [],
  );
}

export function refuseUnknownOrder(text: string): void {
  // The original begins with the least important.
  const unknown = keysIn(text).findLast(({ letter }) => !Object.hasOwn(JOB_ORDERS, letter))?.letter;
  if (unknown !== undefined) throw failure('squeue', `Invalid sort specification: ${unknown}`);
}

export function keysOf(row: JobRow, orders: JobOrders): readonly SortValue[] {
  return orders.map(({ order }) => order.key(row));
}

export function compareLines(orders: JobOrders): (a: Line, b: Line) => number {
  return (a, b) => {
    for (const [at, { order, descending }] of orders.entries()) {
      const difference =
        order === IDENTITY
          ? compareIdentities(a, b)
          : order.compare(a.keys[at] as never, b.keys[at] as never);
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  };
}

/** Letters that say nothing about a step leave steps as they are. */
export function sortedSteps(rows: readonly StepRow[], text: string): StepRow[] {
  return sortedBy(
    rows,
    keysIn(text).flatMap(({ letter, descending }) =>
      Object.hasOwn(STEP_ORDERS, letter)
        ? [{ order: STEP_ORDERS[letter] as Order<StepRow>, descending }]
        : [],
    ),
  );
}

function keysIn(text: string): readonly SortKey[] {
  if (text.toLowerCase() === CLUSTER_WORD) return [];
  return readSortKeys(text).filter(({ letter }) => letter !== IGNORED_ORDER);
}
