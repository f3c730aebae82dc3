/**
 * Lists of jobs of any length, read page by page. Each page looks at a bounded number of rows, whatever the filter
 * lets pass: first the end of the page is found by an index, then the rows up to there are filtered. A `+` before a
 * column keeps SQLite from choosing another index, which could lead through far more rows.
 */

import type { JobFilter, JobOrder, JobPageAsk, JobPlace } from '../../model/query.ts';
import type { StoredPage } from '../store.ts';
import type { Prepare, SqlValue } from './driver.ts';
import { type Conditions, conditionsOf } from './job-filter.ts';
import type { SelectedRows, SelectRows } from './read.ts';
import { columnText } from './rows.ts';

/** So many rows are looked at for a page, and so many jobs are in it. Both cost a few milliseconds. */
const MOST_ROWS = 500;
const MOST_JOBS = 40;

/** The rows of one page before they are filtered. */
interface Window extends Conditions {
  /** The place of the last of them; null: there are no more. */
  readonly last: JobPlace | null;
}

const ORDERS: Readonly<Record<JobOrder['by'], string>> = {
  newest: 'jobs.id desc',
  oldest: 'jobs.id',
  end: 'ended_at, jobs.id',
  index: 'array_index',
};

export function pageReader(prepare: Prepare, selectRows: SelectRows): (ask: JobPageAsk) => StoredPage {
  return (ask) => {
    const { filter, order, reruns } = ask;
    const window = windowOf(prepare, ask);
    const { texts, values } = conditionsOf({ ...filter, refs: null }, prepare, '+');
    const others = [
      ...(order.by === 'oldest' ? ['+array_id is null'] : []),
      ...(reruns === true ? ['+attempt > 1'] : []),
    ];
    const { jobs, count, last } = selectRows(
      `where ${[...window.texts, ...texts, ...others].join(' and ')} order by ${ORDERS[order.by]} limit ${MOST_JOBS}`,
      ...window.values,
      ...values,
    );
    // Rows that cannot be read count too: the page ends after the last row, not after the last job.
    if (count < MOST_JOBS || last === null) return { jobs, next: window.last };
    return { jobs, next: { key: keyOf(order, last), id: last.id } };
  };
}

function keyOf({ by }: JobOrder, row: NonNullable<SelectedRows['last']>): number {
  if (by === 'end') return row.ended_at ?? 0;
  return by === 'index' ? (row.array_index ?? 0) : row.id;
}

function windowOf(prepare: Prepare, { filter, order, after }: JobPageAsk): Window {
  switch (order.by) {
    case 'newest':
      return byNumber(prepare, filter, 'desc', after?.id ?? Number.MAX_SAFE_INTEGER);
    case 'oldest':
      return byNumber(prepare, filter, 'asc', after?.id ?? 0);
    case 'index':
      return byIndex(prepare, order.array, after?.key ?? -1);
    case 'end':
      return byEnd(prepare, after ?? { key: Number.MIN_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER });
  }
}

function byNumber(prepare: Prepare, filter: JobFilter, direction: 'asc' | 'desc', from: number): Window {
  const indexed = indexedCondition(filter);
  const [beyond, upTo] = direction === 'desc' ? ['<', '>='] : ['>', '<='];
  const conditions = [...indexed.texts, `jobs.id ${beyond} ?`];
  const values = [...indexed.values, from];
  const row = prepare(
    `select id from jobs where ${conditions.join(' and ')} order by id ${direction} limit 1 offset ${MOST_ROWS - 1}`,
  ).get(...values) as { id: number } | undefined;
  if (row === undefined) return { texts: conditions, values, last: null };
  return {
    texts: [...conditions, `jobs.id ${upTo} ?`],
    values: [...values, row.id],
    last: { key: row.id, id: row.id },
  };
}

/** The one condition by which an index gives fewer rows, in order of their numbers. */
function indexedCondition({ names, users, phases }: JobFilter): Conditions {
  if (names?.length === 1) return { texts: ['name = ?'], values: [columnText(names[0] as string)] };
  if (phases !== null && !phases.includes('ended')) return { texts: [`phase <> 'ended'`], values: [] };
  if (users?.length === 1) return { texts: ['user = ?'], values: [columnText(users[0] as string)] };
  return { texts: [], values: [] };
}

function byIndex(prepare: Prepare, array: number, from: number): Window {
  const texts = ['array_id = ?', 'array_index > ?'];
  const row = prepare(
    `select array_index as key, id from jobs where ${texts.join(' and ')} order by array_index limit 1 offset ${MOST_ROWS - 1}`,
  ).get(array, from) as JobPlace | undefined;
  if (row === undefined) return { texts, values: [array, from], last: null };
  return { texts: [...texts, 'array_index <= ?'], values: [array, from, row.key], last: row };
}

/** Very many jobs may have ended at the same time: those first, as the index has them by number. */
function byEnd(prepare: Prepare, { key, id }: JobPlace): Window {
  const same = ['ended_at = ?', 'jobs.id > ?'];
  const among = prepare(
    `select ended_at as key, id from jobs where ${same.join(' and ')} order by id limit 1 offset ?`,
  );
  const full = among.get(key, id, MOST_ROWS - 1) as JobPlace | undefined;
  if (full !== undefined) return { texts: [...same, 'jobs.id <= ?'], values: [key, id, full.id], last: full };
  if (among.get(key, id, 0) !== undefined)
    return { texts: same, values: [key, id], last: { key, id: Number.MAX_SAFE_INTEGER } };
  const later = prepare(
    `select ended_at as key, id from jobs where ended_at > ? order by ended_at, id limit 1 offset ${MOST_ROWS - 1}`,
  ).get(key) as JobPlace | undefined;
  const texts = ['ended_at > ?'];
  const values: SqlValue[] = [key];
  if (later === undefined) return { texts, values, last: null };
  return {
    texts: [...texts, 'ended_at <= ?', '(+ended_at < ? or jobs.id <= ?)'],
    values: [...values, later.key, later.key, later.id],
    last: later,
  };
}
