/**
 * A JobFilter as SQL. Equality with one value may use an index, which gives rows already in order; a list may
 * not (the `+` forbids it), because then everything would be gathered and sorted before the limit is known.
 */

import type { JobRef } from '../../model/ids.ts';
import type { JobFilter } from '../../model/query.ts';
import type { Prepare, SqlValue } from './driver.ts';
import { rowLimit } from './read.ts';
import { columnText } from './rows.ts';

export interface JobQuery {
  readonly rest: string;
  readonly values: readonly SqlValue[];
}

/** Joined by `and`. */
export interface Conditions {
  readonly texts: readonly string[];
  readonly values: readonly SqlValue[];
}

export function jobQuery(prepare: Prepare, filter: JobFilter): JobQuery {
  const { texts, values } = conditionsOf(filter, prepare, '');
  const where = texts.length === 0 ? '' : `where ${texts.join(' and ')}`;
  return { rest: `${where} order by jobs.id desc limit ?`, values: [...values, rowLimit(filter.limit)] };
}

/** With a plus, no index may be used for equality either. */
export function conditionsOf(filter: JobFilter, prepare: Prepare, plus: '' | '+'): Conditions {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...given: SqlValue[]) => {
    conditions.push(condition);
    values.push(...given);
  };
  const oneOf = (column: string, choices: readonly string[] | null) => {
    if (choices === null) return;
    const keys = choices.map(columnText);
    if (keys.length === 1) add(`${plus}${column} = ?`, keys[0] as string);
    else add(`+${column} in (select value from json_each(?))`, JSON.stringify(keys));
  };

  if (filter.refs !== null) {
    const ids = JSON.stringify(numbersOf(prepare, filter.refs));
    add('jobs.id in (select value from json_each(?))', ids);
  }
  if (filter.phases !== null) {
    add('+phase in (select value from json_each(?))', JSON.stringify(filter.phases));
    // Said in the words of the index of unended jobs, so that it can be used.
    if (plus === '' && !filter.phases.includes('ended')) add(`phase <> 'ended'`);
  }
  if (filter.outcomes !== null) {
    add('+outcome in (select value from json_each(?))', JSON.stringify(filter.outcomes));
  }
  oneOf('user', filter.users);
  oneOf('queue', filter.queues);
  oneOf('name', filter.names);
  if (filter.endedAfter !== null) add('(ended_at is null or ended_at > ?)', filter.endedAfter);
  if (filter.submittedAfter !== null) add('submitted_at > ?', filter.submittedAfter);
  if (filter.submittedBefore !== null) add('submitted_at < ?', filter.submittedBefore);

  return { texts: conditions, values };
}

/** A whole array stands for its record and its elements. */
function numbersOf(prepare: Prepare, refs: readonly JobRef[]): number[] {
  const oneElement = prepare('select id from jobs where array_id = ? and array_index = ?');
  const allElements = prepare('select id from jobs where array_id = ?');
  return refs.flatMap(({ job, index }) => {
    const rows = index === null ? allElements.all(job) : oneElement.all(job, index);
    const elements = (rows as { id: number }[]).map((row) => row.id);
    return index === null ? [job, ...elements] : elements;
  });
}
