/** Reads back what was written: the state to go on from, and the answers to questions about the past. */

import type { RecordedEvent } from '../../model/event.ts';
import type { Footprint } from '../../model/footprint.ts';
import type { JobId } from '../../model/ids.ts';
import type { Attempt, Job } from '../../model/job.ts';
import type { Node } from '../../model/node.ts';
import type { EventFilter } from '../../model/query.ts';
import type { Step } from '../../model/step.ts';
import type { DecidedQueue, JobStep, Remembered, UserUsage } from '../store.ts';
import type { DamagedRowName, UnreadableRows } from '../unreadable.ts';
import type { Prepare, SqlValue } from './driver.ts';
import { type EventRow, eventFromRow, type JobRow, jobFromRow } from './rows.ts';
import { DamagedRow, parseAttempt, parseObject, parseStep } from './shapes.ts';
import type { SpecTable } from './specs.ts';

/** Jobs by what follows the `from`: a condition, an order, a limit. */
export type SelectJobs = (rest: string, ...values: SqlValue[]) => Job[];

/** The same, with how many rows there were and the last of them, whether or not it could be read. */
export type SelectRows = (rest: string, ...values: SqlValue[]) => SelectedRows;

export interface SelectedRows {
  readonly jobs: Job[];
  readonly count: number;
  readonly last: Pick<JobRow, 'id' | 'ended_at' | 'array_index'> | null;
}

export function jobSelector(selectRows: SelectRows): SelectJobs {
  return (rest, ...values) => selectRows(rest, ...values).jobs;
}

export function rowSelector(prepare: Prepare, specs: SpecTable, unreadable: UnreadableRows): SelectRows {
  return (rest, ...values) => {
    const specOf = specs.reader();
    const statement = prepare(
      `select jobs.id, jobs.spec, phase, outcome, submitted_at, ended_at, array_id, array_index, jobs.doc, jobs.attempt,
              attempts.doc as attempt_doc
       from jobs left join attempts on attempts.job = jobs.id and attempts.n = jobs.attempt
       ${rest}`,
    );
    const jobs: Job[] = [];
    let count = 0;
    let last: JobRow | null = null;
    for (const row of statement.iterate(...values) as IterableIterator<JobRow>) {
      count++;
      last = row;
      const name = { name: `job ${row.id}`, job: row.id, isUnended: row.phase !== 'ended' };
      const job = readable(unreadable, name, () => jobFromRow(row, specOf(row.spec)));
      if (job !== null) jobs.push(job);
    }
    return { jobs, count, last };
  };
}

/** Null when the row is damaged. Anything else that goes wrong is not the row's fault. */
function readable<T>(unreadable: UnreadableRows, row: DamagedRowName, read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DamagedRow)) throw error;
    unreadable.note(row, error.message);
    return null;
  }
}

/** An element is nothing without the record of its array. */
function withArrays(jobs: readonly Job[], unreadable: UnreadableRows): Job[] {
  const arrays = new Set(jobs.map(({ id }) => id));
  return jobs.filter(({ id, phase, element }) => {
    if (element === null || phase === 'ended' || arrays.has(element.array)) return true;
    unreadable.note(
      { name: `job ${id}`, job: id, isUnended: true },
      'the record of its array cannot be read',
    );
    return false;
  });
}

export function loadRemembered(
  prepare: Prepare,
  selectJobs: SelectJobs,
  unreadable: UnreadableRows,
): Remembered {
  const meta = new Map<string, number>();
  for (const row of prepare('select key, value from meta').all() as { key: string; value: number }[]) {
    meta.set(row.key, row.value);
  }
  const documents = <T>(table: 'nodes' | 'usage' | 'queues' | 'footprints') =>
    (
      prepare(`select rowid, doc from ${table} order by rowid`).all() as { rowid: number; doc: string }[]
    ).flatMap(
      ({ rowid, doc }) =>
        (readable(unreadable, { name: `row ${rowid} of ${table}`, job: null }, () =>
          parseObject(doc, table),
        ) as T | null) ?? [],
    );
  // One statement for both kinds, so that an array and its elements share their spec in memory. The `+`
  // keeps it to the index of unended jobs: the one of elements has the ended ones too.
  const jobs = withArrays(
    selectJobs(
      `where jobs.id in (select id from jobs where phase <> 'ended'
                           union select array_id from jobs where phase <> 'ended' and +array_id is not null)
         order by jobs.id`,
    ),
    unreadable,
  );
  return {
    nextJobId: meta.get('nextJobId') ?? 1,
    restoredFrom: meta.get('restoredFrom') ?? null,
    lastSeq: meta.get('lastSeq') ?? 0,
    lastEventAt: meta.get('lastEventAt') ?? 0,
    jobs,
    steps: liveSteps(prepare, unreadable).filter(({ job }) => !unreadable.has(job)),
    nodes: documents<Node>('nodes'),
    usage: documents<UserUsage>('usage'),
    queues: documents<DecidedQueue>('queues'),
    footprints: documents<Footprint>('footprints'),
  };
}

export function attemptsOf(prepare: Prepare, job: JobId, unreadable: UnreadableRows): Attempt[] {
  const rows = prepare('select n, doc from attempts where job = ? order by n').all(job);
  return (rows as { n: number; doc: string }[]).flatMap(
    ({ n, doc }) => readable(unreadable, { name: `attempt ${job}.${n}`, job }, () => parseAttempt(doc)) ?? [],
  );
}

export function stepsOf(prepare: Prepare, job: JobId, unreadable: UnreadableRows): Step[] {
  const rows = prepare('select job, attempt, n, doc from steps where job = ? order by attempt, n').all(job);
  return (rows as StepRow[]).flatMap((row) => stepFromRow(row, unreadable) ?? []);
}

interface StepRow {
  readonly job: number;
  readonly attempt: number;
  readonly n: number;
  readonly doc: string;
}

function stepFromRow({ job, attempt, n, doc }: StepRow, unreadable: UnreadableRows): Step | null {
  return readable(unreadable, { name: `step ${n} of attempt ${job}.${attempt}`, job }, () => parseStep(doc));
}

function liveSteps(prepare: Prepare, unreadable: UnreadableRows): JobStep[] {
  const statement = prepare(
    'select job, attempt, n, doc from steps indexed by steps_live where ended_at is null order by job, attempt, n',
  );
  return (statement.all() as StepRow[]).flatMap((row) => {
    const step = stepFromRow(row, unreadable);
    return step === null ? [] : [{ job: row.job, step }];
  });
}

export function eventsOf(prepare: Prepare, filter: EventFilter, unreadable: UnreadableRows): RecordedEvent[] {
  const statement = prepare(
    `select seq, at, job, type, events.doc, specs.doc as spec_doc
     from events left join specs on specs.id = events.spec
     where seq > ? ${filter.job === null ? '' : 'and job = ?'}
     order by seq ${filter.newest ? 'desc' : 'asc'} limit ?`,
  );
  const job = filter.job === null ? [] : [filter.job];
  const rows = statement.all(filter.afterSeq, ...job, rowLimit(filter.limit)) as EventRow[];
  if (filter.newest) rows.reverse();
  return rows.flatMap((row) => {
    const name = { name: `event ${row.seq}`, job: row.job };
    return readable(unreadable, name, () => eventFromRow(row)) ?? [];
  });
}

/** A limit that SQLite takes: a whole number, where the caller may have said Infinity. */
export function rowLimit(limit: number): number {
  return Math.max(0, Math.min(Math.floor(limit), 2 ** 31));
}
