/** What only the database must do: survive the death of its process, and say what is wrong with the world. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ANY_JOB } from '../../src/model/query.ts';
import { Fault } from '../../src/model/refusal.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { NOTHING_TO_FLUSH } from '../../src/store/sqlite/flush.ts';
import { MIGRATIONS, migrate } from '../../src/store/sqlite/migrations.ts';
import { openSqliteStore, sqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { compiled } from '../compiled.ts';
import { aBatch, aJob, anAttempt, aSpec, ENVIRONMENT_HASH } from './builders.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'yard-sqlite-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = () => join(directory, 'yard.db');
const open = () => openSqliteStore({ directory, safeMode: false });

function thrownBy(action: () => unknown): Fault {
  let thrown: unknown = null;
  try {
    action();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Fault);
  return thrown as Fault;
}

async function refusedOpening(): Promise<Fault> {
  const outcome = await open().then(
    (store) => store.close(),
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(Fault);
  return outcome as Fault;
}

describe('how it opens', () => {
  test('normally with a write-ahead log, and says so', async () => {
    const store = await open();
    expect(store.remarks[0]).toContain('write-ahead log');
    expect(existsSync(`${file()}-wal`)).toBe(true);
    store.close();
  });

  test('on a network file system with a rollback journal and a lock of its own, and says so', async () => {
    const store = await openSqliteStore({ directory, safeMode: true });
    store.append(aBatch({ jobs: [aJob(1)], nextJobId: 2 }));
    expect(store.remarks[0]).toContain('rollback journal');
    expect(existsSync(`${file()}-wal`)).toBe(false);
    const other = (await loadDriver())(file());
    expect(() => other.exec('select count(*) from jobs')).toThrow('locked');
    store.close();
    other.exec('select count(*) from jobs');
    other.close();
  });

  test('a write-ahead log left behind by a crash is taken over when the mode changes', async () => {
    const store = await open();
    store.append(aBatch({ jobs: [aJob(1)], nextJobId: 2 }));
    const copy = join(directory, 'copy');
    mkdirSync(copy);
    for (const name of ['yard.db', 'yard.db-wal']) copyFileSync(join(directory, name), join(copy, name));
    store.close();
    const safe = await openSqliteStore({ directory: copy, safeMode: true });
    expect(safe.load().jobs).toEqual([aJob(1)]);
    expect(existsSync(join(copy, 'yard.db-wal'))).toBe(false);
    safe.close();
  });

  test('nobody else may read the file', async () => {
    const store = await open();
    store.append(aBatch());
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(`${file()}-wal`).mode & 0o777).toBe(0o600);
    store.close();
  });

  test('what was written is there when it is opened again', async () => {
    const spec = aSpec();
    const jobs = [aJob(1, { spec }), aJob(2, { spec, element: { array: 1, index: 0 } })];
    const store = await open();
    store.append(aBatch({ jobs, nextJobId: 3 }));
    store.close();
    const again = await open();
    expect(again.load()).toMatchObject({ jobs, nextJobId: 3 });
    again.close();
  });
});

describe('migrations', () => {
  test('an older database is brought up to date, one step at a time', async () => {
    const database = (await loadDriver())(file());
    migrate(database, directory, ['create table first (x)']);
    migrate(database, directory, [
      'never run again',
      'alter table first add column y; create table second (z)',
    ]);
    database.exec('insert into first (x, y) values (1, 2)');
    expect(database.prepare('pragma user_version').get()).toMatchObject({ user_version: 2 });
    database.close();
  });

  test('what the first format could not say has its plain value afterwards', async () => {
    const database = (await loadDriver())(file());
    migrate(database, directory, MIGRATIONS.slice(0, 1));
    const spec = aSpec({ name: 'odd\udc80' });
    const attempt = anAttempt(1, 1);
    const { qos: _qos, mail: _mail, program, ...oldSpec } = spec;
    const { caller: _caller, ...oldProgram } = program;
    const { suspendedAt: _at, suspendedMs: _ms, suspensions: _n, stepCount: _steps, ...oldAttempt } = attempt;
    const insert = (sql: string, ...values: (string | number)[]) => database.prepare(sql).run(...values);
    insert(
      'insert into specs (id, environment, doc) values (1, ?, ?)',
      ENVIRONMENT_HASH,
      JSON.stringify({ ...oldSpec, program: oldProgram }),
    );
    insert('insert into attempts (job, n, doc) values (1, 1, ?)', JSON.stringify(oldAttempt));
    insert(
      `insert into jobs (id, spec, phase, user, queue, name, submitted_at, attempt, doc)
       values (1, 1, 'active', 'alice', 'main', 'x', 5, 1, '{}')`,
    );
    database.close();
    const store = await open();
    expect(store.job(1)).toEqual(
      aJob(1, { spec, phase: 'active', submittedAt: 5, attempt, eligibleAt: null }),
    );
    store.close();
  });

  test('a step that fails leaves the database as it was before the step', async () => {
    const database = (await loadDriver())(file());
    expect(() =>
      migrate(database, directory, ['create table a (x)', 'create table b (x); nonsense']),
    ).toThrow('nonsense');
    expect(database.prepare('pragma user_version').get()).toMatchObject({ user_version: 1 });
    expect(database.prepare('select name from sqlite_schema').all()).toMatchObject([{ name: 'a' }]);
    database.close();
  });

  test('a database of a newer version is refused and left alone', async () => {
    const database = (await loadDriver())(file());
    migrate(database, directory, [...MIGRATIONS, 'create table later (x)']);
    database.close();
    const newer = MIGRATIONS.length + 1;
    expect((await refusedOpening()).message).toBe(
      `the database in ${directory} was written by a newer Trainyard (format ${newer}, this one knows ${MIGRATIONS.length}); use that version, or another directory`,
    );
  });

  test('a database of another program is refused', async () => {
    const database = (await loadDriver())(file());
    database.exec('create table theirs (x)');
    database.close();
    expect((await refusedOpening()).message).toBe(`${file()} is a database of another program`);
  });
});

describe('when the world is in the way', () => {
  const big = (id: number) => aJob(id, { spec: aSpec({ comment: 'x'.repeat(5000) }) });

  /** A store whose connection the test has in hand. */
  async function openRaw(): Promise<{ store: Store; pragma: (text: string) => void; close: () => void }> {
    const database = (await loadDriver())(file());
    migrate(database, directory);
    const store = sqliteStore(database, directory, [], NOTHING_TO_FLUSH);
    return { store, pragma: (text) => database.exec(`pragma ${text}`), close: () => database.close() };
  }

  function faultThatChangesNothing(store: Store, act: () => unknown): Fault {
    const before = store.load();
    const fault = thrownBy(act);
    expect(store.load()).toEqual(before);
    return fault;
  }

  test('a file that is not a database is refused', async () => {
    writeFileSync(file(), 'garbage '.repeat(1000));
    expect((await refusedOpening()).message).toBe(`${file()} is not a database`);
  });

  test('a damaged database is said to be damaged', async () => {
    const store = await open();
    for (let id = 1; id <= 200; id++) store.append(aBatch({ jobs: [big(id)], nextJobId: id + 1 }));
    store.close();
    truncateSync(file(), 40_000);
    const outcome = await open().then(
      (reopened) => {
        try {
          return thrownBy(() => reopened.load());
        } finally {
          reopened.close();
        }
      },
      (error: Fault) => error,
    );
    expect(outcome.message).toContain(`the database ${file()} is damaged`);
    expect(outcome.retryable).toBe(false);
  });

  test('a full disk: nothing changes, and it goes on when there is space again', async () => {
    const { store, pragma, close } = await openRaw();
    store.append(aBatch({ jobs: [aJob(1)], nextJobId: 2 }));
    pragma('max_page_count = 1');
    const batch = aBatch({ jobs: Array.from({ length: 50 }, (_, i) => big(i + 2)), nextJobId: 52 });
    const fault = faultThatChangesNothing(store, () => store.append(batch));
    expect(fault.message).toBe(`the disk holding ${directory} is full`);
    expect(fault.retryable).toBe(true);
    pragma('max_page_count = 100000');
    store.append(batch);
    expect(store.load().jobs).toEqual([aJob(1), ...batch.jobs]);
    close();
  });

  test('a connection that may not write', async () => {
    const { store, pragma, close } = await openRaw();
    pragma('query_only = 1');
    const fault = faultThatChangesNothing(store, () =>
      store.append(aBatch({ jobs: [aJob(1)], nextJobId: 2 })),
    );
    expect(fault.message).toBe(`the database in ${directory} cannot be written: it is read-only`);
    expect(fault.retryable).toBe(false);
    close();
  });

  test('another process holds the lock', async () => {
    const { store, pragma, close } = await openRaw();
    pragma('busy_timeout = 10');
    const other = (await loadDriver())(file());
    other.exec('begin immediate');
    const fault = faultThatChangesNothing(store, () => store.append(aBatch({ nextJobId: 9 })));
    expect(fault.message).toBe(`the database in ${directory} is locked by another process`);
    expect(fault.retryable).toBe(true);
    other.exec('rollback');
    other.close();
    store.append(aBatch({ nextJobId: 9 }));
    close();
  });

  test('a mistake of ours is not called a fault, and changes nothing either', async () => {
    const store = await open();
    const broken = { ...aJob(2), submittedAt: undefined as unknown as number };
    let thrown: unknown = null;
    try {
      store.append(aBatch({ jobs: [aJob(1), broken], nextJobId: 3 }));
    } catch (error) {
      thrown = error;
    }
    // What is undefined cannot be bound in older drivers, and is null in newer ones.
    expect(String(thrown)).toMatch(/bound|NOT NULL/);
    expect(thrown).not.toBeInstanceOf(Fault);
    expect(store.load().jobs).toEqual([]);
    store.append(aBatch({ jobs: [aJob(1)], nextJobId: 2 }));
    expect(store.load().jobs).toEqual([aJob(1)]);
    store.close();
  });

  test('a directory that is a file', async () => {
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    expect((await refusedOpening()).message).toContain(`the directory ${directory} cannot be used: `);
  });

  test('a directory without permission', async ({ skip }) => {
    if (process.getuid?.() === 0) skip('root may write everywhere');
    chmodSync(directory, 0o500);
    expect((await refusedOpening()).message).toBe(
      `the directory ${directory} cannot be written: you have no permission`,
    );
    chmodSync(directory, 0o700);
  });
});

describe('on a real small disk', () => {
  function mount(...options: string[]): boolean {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', directory], {
        stdio: 'ignore',
      });
      return true;
    } catch {
      return false;
    }
  }
  // Lazily, because a driver may keep a closed file open for a while.
  const unmount = () => execFileSync('umount', ['-l', directory]);
  const cannotMount = 'mounting a small disk needs root';

  test('it fills up, nothing is half written, and it goes on when there is space again', async ({ skip }) => {
    if (!mount('size=1m')) skip(cannotMount);
    try {
      const store = await open();
      const filler = join(directory, 'filler');
      writeFileSync(filler, Buffer.alloc(500 * 1024));
      let next = 1;
      const append = () => {
        store.append(aBatch({ jobs: [aJob(next, { spec: aSpec() }), aJob(next + 1)], nextJobId: next + 2 }));
        next += 2;
      };
      const fault = thrownBy(() => {
        for (;;) append();
      });
      expect(fault.message).toBe(`the disk holding ${directory} is full`);
      expect(store.load().nextJobId).toBe(next);
      expect(store.jobs({ ...ANY_JOB }).length).toBe(next - 1);
      rmSync(filler);
      append();
      store.close();
      const again = await open();
      expect(again.load().jobs.length).toBe(next - 1);
      again.close();
    } finally {
      unmount();
    }
  });

  test('it is read-only', async ({ skip }) => {
    if (!mount('size=1m', 'ro')) skip(cannotMount);
    try {
      expect((await refusedOpening()).message).toBe(
        `the directory ${directory} cannot be written: its file system is read-only`,
      );
    } finally {
      unmount();
    }
  });
});

describe('kill -9', () => {
  test.each(['normal', 'safe'])('what was said to be durable is there (%s mode)', async (mode) => {
    const script = compiled('test/store/child.ts', directory);
    const data = join(directory, 'data');
    let acknowledged = 1;
    for (const batches of [1, 7, 30, 80]) {
      const child = spawn(process.execPath, [script, data, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      let lines = 0;
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        lines += text.split('\n').length - 1;
        if (lines >= batches) child.kill('SIGKILL');
      });
      const [, signal] = (await once(child, 'close')) as [number | null, string | null];
      expect(signal).toBe('SIGKILL');
      acknowledged = Number(said.trimEnd().split('\n').at(-1));

      const store = await openSqliteStore({ directory: data, safeMode: mode === 'safe' });
      const { nextJobId, lastSeq, jobs } = store.load();
      expect(nextJobId).toBeGreaterThanOrEqual(acknowledged);
      expect(jobs.map((job) => job.id)).toEqual(Array.from({ length: nextJobId - 1 }, (_, i) => i + 1));
      expect(lastSeq).toBe(nextJobId - 1);
      const events = store.events({ job: null, afterSeq: 0, limit: 1e6, newest: false });
      expect(events.map(({ event }) => 'job' in event && event.job)).toEqual(jobs.map((job) => job.id));
      store.close();
    }
  });
});
