/** Reads back what was written: the state to go on from, and the answers to questions about the past. */

import type { RecordedEvent } from '../../model/event.ts';
import type { Footprint } from '../../model/footprint.ts';
import type { JobId } from '../../model/ids.ts';
import type { Attempt, Job } from '../../model/job.ts';
import type { Node } from '../../model/node.ts';
import type { EventFilter } from '../../model/query.ts';
import type { Step } from '../../model/step.ts';
import type { DecidedQueue, JobStep, Remembered, UserUsage } from '../store.ts';
import type { Prepare, SqlValue } from './driver.ts';
import { type EventRow, eventFromRow, type JobRow, jobFromRow } from './rows.ts';
import type { SpecTable } from './specs.ts';

/** Jobs by what follows the `from`: a condition, an order, a limit. */
export type SelectJobs = (rest: string, ...values: SqlValue[]) => Job[];

export function jobSelector(prepare: Prepare, specs: SpecTable): SelectJobs {
  return (rest, ...values) => {
    const specOf = specs.reader();
    const statement = prepare(
      `select jobs.id, jobs.spec, phase, outcome, submitted_at, ended_at, array_id, array_index, jobs.doc,
              attempts.doc as attempt_doc
       from jobs left join attempts on attempts.job = jobs.id and attempts.n = jobs.attempt
       ${rest}`,
    );
    const jobs: Job[] = [];
    for (const row of statement.iterate(...values) as IterableIterator<JobRow>) {
      jobs.push(jobFromRow(row, specOf(row.spec)));
    }
    return jobs;
  };
}

export function loadRemembered(prepare: Prepare, selectJobs: SelectJobs): Remembered {
  const meta = new Map<string, number>();
  for (const row of prepare('select key, value from meta').all() as { key: string; value: number }[]) {
    meta.set(row.key, row.value);
  }
  return {
    nextJobId: meta.get('nextJobId') ?? 1,
    restoredFrom: meta.get('restoredFrom') ?? null,
    lastSeq: meta.get('lastSeq') ?? 0,
    lastEventAt: meta.get('lastEventAt') ?? 0,
    // One statement for both kinds, so that an array and its elements share their spec in memory. The `+`
    // keeps it to the index of unended jobs: the one of elements has the ended ones too.
    jobs: selectJobs(
      `where jobs.id in (select id from jobs where phase <> 'ended'
                         union select array_id from jobs where phase <> 'ended' and +array_id is not null)
       order by jobs.id`,
    ),
    steps: liveSteps(prepare),
    nodes: documents<Node>(prepare, 'select doc from nodes order by rowid'),
    usage: documents<UserUsage>(prepare, 'select doc from usage order by rowid'),
    queues: documents<DecidedQueue>(prepare, 'select doc from queues order by rowid'),
    footprints: documents<Footprint>(prepare, 'select doc from footprints order by rowid'),
  };
}

export function attemptsOf(prepare: Prepare, job: JobId): Attempt[] {
  return documents<Attempt>(prepare, 'select doc from attempts where job = ? order by n', job);
}

export function stepsOf(prepare: Prepare, job: JobId): Step[] {
  return documents<Step>(prepare, 'select doc from steps where job = ? order by attempt, n', job);
}

function liveSteps(prepare: Prepare): JobStep[] {
  const statement = prepare(
    'select job, doc from steps indexed by steps_live where ended_at is null order by job, attempt, n',
  );
  const rows = statement.all() as { job: number; doc: string }[];
  return rows.map(({ job, doc }) => ({ job, step: JSON.parse(doc) as Step }));
}

export function eventsOf(prepare: Prepare, filter: EventFilter): RecordedEvent[] {
  const statement = prepare(
    `select seq, at, job, type, events.doc, specs.doc as spec_doc
     from events left join specs on specs.id = events.spec
     where seq > ? ${filter.job === null ? '' : 'and job = ?'}
     order by seq ${filter.newest ? 'desc' : 'asc'} limit ?`,
  );
  const job = filter.job === null ? [] : [filter.job];
  const rows = statement.all(filter.afterSeq, ...job, rowLimit(filter.limit)) as EventRow[];
  if (filter.newest) rows.reverse();
  return rows.map(eventFromRow);
}

/** A limit that SQLite takes: a whole number, where the caller may have said Infinity. */
export function rowLimit(limit: number): number {
  return Math.max(0, Math.min(Math.floor(limit), 2 ** 31));
}

function documents<T>(prepare: Prepare, sql: string, ...values: SqlValue[]): T[] {
  return (prepare(sql).all(...values) as { doc: string }[]).map((row) => JSON.parse(row.doc) as T);
}
