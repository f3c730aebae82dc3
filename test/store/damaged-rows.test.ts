/** Rows that cannot be read: they are left out and said, and everything else is as it was. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ANY_JOB, type JobPlace } from '../../src/model/query.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { stateOf } from '../../src/store/state-batch.ts';
import type { Store, StoredPage } from '../../src/store/store.ts';
import { aBatch, aJob, anAttempt, aSpec } from './builders.ts';

let directory: string;
let log: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'yard-damaged-'));
  log = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const open = () => openSqliteStore({ directory, safeMode: false, log: (line) => log.push(line) });

async function damage(sql: string): Promise<void> {
  const database = (await loadDriver())(join(directory, 'yard.db'));
  database.exec(sql);
  database.close();
}

/** Three jobs, each with a spec and an attempt of its own, and an event for each. */
async function filled(phase: 'ended' | 'active'): Promise<void> {
  const store = await open();
  const jobs = [1, 2, 3].map((id) => {
    const isOver = phase === 'ended';
    const attempt = anAttempt(id, 1, isOver ? { phase: 'ended', endedAt: 9 } : { phase: 'running' });
    const end = isOver ? ({ phase, outcome: 'completed', endedAt: 9 } as const) : ({ phase } as const);
    return aJob(id, { spec: aSpec({ name: `job-${id}` }), attempt, ...end });
  });
  const events = jobs.map(({ id, spec }) => ({
    seq: id,
    event: { type: 'jobSubmitted' as const, at: id, job: id, spec, phase: 'pending' as const },
  }));
  store.append(aBatch({ jobs, events: events as never, nextJobId: 4 }));
  store.close();
}

const HARMS: readonly (readonly [string, string])[] = [
  ['a job that is no JSON', `update jobs set doc = '{"hold":' where id = 2`],
  ['a job that is no object', `update jobs set doc = '[1]' where id = 2`],
  ['a phase that does not exist', `update jobs set phase = 'walking', doc = '{}' where id = 2`],
  ['a time that is a word', `update jobs set submitted_at = 'noon' where id = 2`],
  ['an attempt that is no JSON', `update attempts set doc = 'x' where job = 2`],
  [
    'an attempt without a placement',
    `update attempts set doc = json_remove(doc, '$.placement') where job = 2`,
  ],
  [
    'an attempt on a node without CPUs',
    `update attempts set doc = json_set(doc, '$.placement.nodes', json('[{}]')) where job = 2`,
  ],
  ['an attempt that is gone', `delete from attempts where job = 2`],
  ['a spec that is gone', `delete from specs where id = (select spec from jobs where id = 2)`],
  [
    'a spec without a program',
    `update specs set doc = json_remove(doc, '$.program') where id = (select spec from jobs where id = 2)`,
  ],
  [
    'a spec with a number for a name',
    `update specs set doc = json_set(doc, '$.name', 5) where id = (select spec from jobs where id = 2)`,
  ],
];

function saidOnce(store: Store): void {
  expect(log.filter((line) => line.startsWith('job 2 cannot be read'))).toHaveLength(1);
  expect(store.unreadable.remarks()).toEqual(['1 job cannot be read: 2']);
}

describe.each(HARMS)('%s', (_what, sql) => {
  test('of an ended job: all others are in the history', async () => {
    await filled('ended');
    await damage(sql);
    const store = await open();
    for (let time = 0; time < 2; time++)
      expect(store.jobs({ ...ANY_JOB, limit: 10 }).map(({ id }) => id)).toEqual([3, 1]);
    expect(store.job(2)).toBeNull();
    saidOnce(store);
    store.close();
  });

  test('of a live job: the yard starts with all others', async () => {
    await filled('active');
    await damage(sql);
    const store = await open();
    const remembered = store.load();
    expect(remembered.jobs.map(({ id }) => id)).toEqual([1, 3]);
    expect([...stateOf(remembered, store).live]).toEqual([1, 3]);
    saidOnce(store);
    expect(store.unreadable.hasUnended()).toBe(true);
    store.close();
  });
});

test('an event that cannot be read is left out', async () => {
  await filled('ended');
  await damage(`update events set doc = 'x' where seq = 2`);
  const store = await open();
  const events = store.events({ job: null, afterSeq: 0, limit: 10, newest: false });
  expect(events.map(({ seq }) => seq)).toEqual([1, 3]);
  expect(log).toEqual(['event 2 cannot be read from the store and is left out: event is no JSON']);
  store.close();
});

test('an earlier attempt that cannot be read is left out of the list of attempts', async () => {
  await filled('ended');
  await damage(`insert into attempts (job, n, doc) values (1, 2, 'x')`);
  const store = await open();
  expect(store.attempts(1).map(({ n }) => n)).toEqual([1]);
  store.close();
});

test('an element goes with the record of its array', async () => {
  const store = await open();
  const spec = aSpec({ array: { indices: [[0, 1]], throttle: null } as never });
  const array = aJob(1, { spec, phase: 'pending' });
  const element = aJob(2, { spec, phase: 'pending', element: { array: 1, index: 0 } });
  store.append(aBatch({ jobs: [array, element, aJob(3, { phase: 'pending' })], nextJobId: 4 }));
  store.close();
  await damage(`update jobs set doc = 'x' where id = 1`);
  const again = await open();
  expect(again.load().jobs.map(({ id }) => id)).toEqual([3]);
  expect(again.unreadable.remarks()).toEqual(['2 jobs cannot be read: 1, 2']);
  again.close();
});

describe('pages', () => {
  const COUNT = 130;
  /** A page holds 40 jobs: one row is damaged before its end, and then a whole page of them. */
  const isDamaged = (id: number) => id === 40 || (id > 41 && id <= 95);

  async function manyEnded(): Promise<void> {
    const store = await open();
    const jobs = Array.from({ length: COUNT }, (_, at) =>
      aJob(at + 1, { phase: 'ended', outcome: 'completed', endedAt: 1000 + at }),
    );
    store.append(aBatch({ jobs, nextJobId: COUNT + 1 }));
    store.close();
    await damage(`update jobs set doc = 'x' where id = 40 or (id > 41 and id <= 95)`);
  }

  test.each(['newest', 'oldest', 'end'] as const)('by %s lead past damaged rows', async (by) => {
    await manyEnded();
    const store = await open();
    const found: number[] = [];
    let after: JobPlace | null = null;
    do {
      const page: StoredPage = store.page({ filter: ANY_JOB, order: { by }, after });
      found.push(...page.jobs.map(({ id }) => id));
      after = page.next;
    } while (after !== null);
    const expected = Array.from({ length: COUNT }, (_, at) => at + 1).filter((id) => !isDamaged(id));
    expect(found).toEqual(by === 'newest' ? expected.toReversed() : expected);
    store.close();
  });
});
