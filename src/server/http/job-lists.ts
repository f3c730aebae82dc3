/**
 * Lists of jobs as JSON, sent as they are read: one part is in memory at a time, others are served between two parts,
 * and a client that reads slowly is waited for.
 */

import type { ServerResponse } from 'node:http';
import type { JobId } from '../../model/ids.ts';
import {
  ANY_JOB,
  type JobFilter,
  type JobOrder,
  type JobPlace,
  type JobRecord,
  type JobView,
} from '../../model/query.ts';
import type { Yard } from '../yard.ts';

const PART = 40;
const MOST_BUFFERED_BYTES = 256 * 1024;

/** Parts may be empty: then there was much to look at and nothing to send. */
type Parts = Generator<readonly JobView[], void, undefined>;

/** What is wrong before anything is sent is thrown; what goes wrong later cuts the answer short. */
export async function sendJobs(response: ServerResponse, yard: Yard, parts: Parts): Promise<null> {
  const slice = yard.slices.open('HTTP');
  let turn = slice.run(() => parts.next());
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  response.write('{"jobs":[');
  let separator = '';
  while (!turn.done && !response.destroyed) {
    const views = turn.value;
    slice.run(() => {
      const text = views.map((view) => JSON.stringify(view)).join(',');
      if (text === '') return;
      response.write(separator + text);
      separator = ',';
    });
    if (response.writableLength > MOST_BUFFERED_BYTES) await drained(response);
    await slice.turn();
    turn = slice.run(() => parts.next());
  }
  response.end(']}\n');
  return null;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** Jobs that have not ended; where jobs are named, those, whatever became of them. */
export function* liveParts(yard: Yard, filter: JobFilter): Parts {
  if (filter.refs !== null) return yield yard.query('jobs', filter);
  const ids = yard.query('liveJobs', {});
  let left = filter.limit;
  for (let at = 0; at < ids.length && left > 0; at += PART) {
    const refs = ids.slice(at, at + PART).map((job) => ({ job, index: null }));
    const views = yard
      .query('jobs', { ...filter, refs, limit: left })
      .filter(({ job }) => job.phase !== 'ended');
    left -= views.length;
    yield views;
  }
}

/** Jobs that have ended, newest first. The number of an array means its elements too. */
export function* endedParts(yard: Yard, asked: JobFilter): Parts {
  const filter: JobFilter = { ...asked, phases: ['ended'] };
  let left = filter.limit;
  const ids = filter.refs === null ? null : yield* numbersOf(yard, filter);
  const parts = ids === null ? pages(yard, filter, { by: 'newest' }) : named(yard, filter, ids);
  for (const records of parts) {
    const views = records.slice(0, left).map(({ view }) => view);
    left -= views.length;
    yield views;
    if (left === 0) return;
  }
}

function* pages(yard: Yard, filter: JobFilter, order: JobOrder): Generator<readonly JobRecord[]> {
  let after: JobPlace | null = null;
  do {
    const page: { records: readonly JobRecord[]; next: JobPlace | null } = yard.query('jobPage', {
      filter,
      order,
      after,
    });
    yield page.records;
    after = page.next;
  } while (after !== null);
}

function* named(yard: Yard, filter: JobFilter, ids: readonly JobId[]): Generator<readonly JobRecord[]> {
  for (let at = 0; at < ids.length; at += PART)
    yield yard.query('records', { jobs: ids.slice(at, at + PART), filter });
}

function* numbersOf(
  yard: Yard,
  { refs }: JobFilter,
): Generator<readonly JobView[], readonly JobId[], undefined> {
  const ids = new Set<JobId>();
  for (const { job } of yard.query('jobs', { ...ANY_JOB, refs })) {
    ids.add(job.id);
    if (job.array === null) continue;
    for (const records of pages(yard, ANY_JOB, { by: 'index', array: job.id })) {
      for (const { view } of records) ids.add(view.job.id);
      yield [];
    }
  }
  return [...ids].sort((a, b) => b - a);
}
