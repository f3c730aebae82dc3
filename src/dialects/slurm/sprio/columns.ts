/**
 * The letters of `sprio -o`: what makes up a job's priority, weighted or as a factor, and the weights themselves. A
 * factor times its weight is the weighted part.
 */

import type { PriorityWeights } from '../../../model/policy.ts';
import type { JobView } from '../../../model/query.ts';
import type { PriorityBreakdown } from '../../../model/reason.ts';
import type { Columns } from '../listing/format.ts';

export interface PriorityRow {
  readonly kind: 'job';
  readonly view: JobView;
  readonly priority: PriorityBreakdown;
  readonly weights: PriorityWeights;
}

/** The one line of `-w`. */
export interface WeightsRow {
  readonly kind: 'weights';
  readonly weights: PriorityWeights;
}

export type Row = PriorityRow | WeightsRow;

type Part = 'age' | 'fairShare' | 'queue' | 'qos' | 'size';

/** The largest number that Slurm's priorities reach. */
const HIGHEST = 2 ** 32 - 1;

const ofJob = (say: (row: PriorityRow) => string | null) => (row: Row) =>
  row.kind === 'job' ? say(row) : '';

function weighted(part: Part): (row: Row) => string {
  return (row) => `${Math.round(row.kind === 'job' ? row.priority[part] : row.weights[part])}`;
}

function factor(part: Part): (row: Row) => string {
  return (row) => {
    const weight = row.weights[part];
    if (row.kind === 'weights') return `${weight}`;
    return (weight === 0 ? 0 : row.priority[part] / weight).toFixed(7);
  };
}

function total({ priority }: PriorityRow): number {
  return Math.max(0, Math.round(priority.total));
}

export const COLUMNS: Columns<Row> = {
  a: { heading: 'AGE', text: factor('age') },
  A: { heading: 'AGE', text: weighted('age') },
  b: { heading: 'ASSOC', text: (row) => (row.kind === 'job' ? '0.0000000' : '0') },
  B: { heading: 'ASSOC', text: () => '0' },
  c: { heading: 'CLUSTER', text: ofJob(() => null) },
  f: { heading: 'FAIRSHARE', text: factor('fairShare') },
  F: { heading: 'FAIRSHARE', text: weighted('fairShare') },
  i: { heading: 'JOBID', text: (row) => (row.kind === 'job' ? `${row.view.job.id}` : 'Weights') },
  j: { heading: 'JOBSIZE', text: factor('size') },
  J: { heading: 'JOBSIZE', text: weighted('size') },
  N: { heading: 'NICE', text: ofJob(({ view }) => `${view.job.spec.nice}`) },
  p: { heading: 'PARTITION', text: factor('queue') },
  P: { heading: 'PARTITION', text: weighted('queue') },
  q: { heading: 'QOS', text: factor('qos') },
  Q: { heading: 'QOS', text: weighted('qos') },
  r: { heading: 'PARTITION', text: ofJob(({ view }) => view.job.spec.queue) },
  // What its submitter asked for is added as a site's own share would be.
  S: { heading: 'SITE', text: (row) => (row.kind === 'job' ? `${row.view.job.spec.priority}` : '1') },
  t: { heading: 'TRES', text: (row) => (row.kind === 'job' ? '' : null) },
  T: { heading: 'TRES', text: (row) => (row.kind === 'job' ? '' : null) },
  u: { heading: 'USER', text: ofJob(({ view }) => view.job.spec.user) },
  y: { heading: 'PRIORITY', text: ofJob((row) => (total(row) / HIGHEST).toFixed(14)) },
  Y: { heading: 'PRIORITY', text: ofJob((row) => `${total(row)}`) },
};

/** What to order by: numbers where the column has some. */
export const SORT_KEYS: Readonly<Record<string, (row: PriorityRow) => number | string>> = {
  a: ({ priority }) => priority.age,
  A: ({ priority }) => priority.age,
  b: () => 0,
  B: () => 0,
  c: () => 0,
  f: ({ priority }) => priority.fairShare,
  F: ({ priority }) => priority.fairShare,
  i: ({ view }) => view.job.id,
  j: ({ priority }) => priority.size,
  J: ({ priority }) => priority.size,
  N: ({ view }) => view.job.spec.nice,
  p: ({ priority }) => priority.queue,
  P: ({ priority }) => priority.queue,
  q: ({ priority }) => priority.qos,
  Q: ({ priority }) => priority.qos,
  r: ({ view }) => view.job.spec.queue,
  S: ({ view }) => view.job.spec.priority,
  t: () => 0,
  T: () => 0,
  u: ({ view }) => view.job.spec.user,
  y: ({ priority }) => priority.total,
  Y: ({ priority }) => priority.total,
};

/** What has no weight is left out unless everything is wanted. */
export function usualFormat(
  weights: PriorityWeights,
  how: { norm: boolean; long: boolean; users: boolean },
): string {
  const { norm, long, users } = how;
  const fields = ['%.15i', '%9r'];
  if (long || users) fields.push('%.8u');
  fields.push(norm ? '%10y' : '%.10Y');
  if (!norm) fields.push('%.10S');
  const add = (letters: string, weight: number) => {
    if (long || weight !== 0) fields.push(norm ? `%10${letters[0]}` : `%.10${letters[1]}`);
  };
  add('aA', weights.age);
  add('bB', 0);
  add('fF', weights.fairShare);
  add('jJ', weights.size);
  add('pP', weights.queue);
  add('qQ', weights.qos);
  if (long) fields.push(...(norm ? ['%20t'] : ['%.11N', '%.20T']));
  return fields.join(' ');
}
