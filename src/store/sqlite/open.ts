/** Opens the database of a directory and gives it as a Store. It owns the connection and the transactions. */

import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../model/refusal.ts';
import type { Store, StoreIdentity } from '../store.ts';
import { unreadableRows } from '../unreadable.ts';
import { copyOf } from './back-up.ts';
import { type Database, loadDriver, statementCache } from './driver.ts';
import { faultFrom } from './faults.ts';
import { type Flusher, logFlusher, NOTHING_TO_FLUSH } from './flush.ts';
import { jobQuery } from './job-filter.ts';
import { pageReader } from './job-page.ts';
import { APPLICATION_ID, MIGRATIONS, migrate, pragma, rollback } from './migrations.ts';
import { DATABASE_FILE } from './place.ts';
import { purger } from './purge.ts';
import { attemptsOf, eventsOf, jobSelector, loadRemembered, rowLimit, rowSelector, stepsOf } from './read.ts';
import { specTable } from './specs.ts';
import { batchWriter } from './write.ts';

export interface SqliteStoreOptions {
  readonly directory: string;
  /** For a network file system, where the shared memory that a write-ahead log needs does not work. */
  readonly safeMode: boolean;
  /** Told of rows that cannot be read. */
  readonly log?: (line: string) => void;
}

/** Throws a Fault with the reason when the database cannot be opened. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { directory, safeMode, log } = options;
  const path = join(directory, DATABASE_FILE);
  makeFile(directory, path);
  const open = await loadDriver();
  let database: Database | null = null;
  try {
    database = open(path);
    database.exec(`pragma busy_timeout = 2000; ${safeMode ? SAFE_MODE : NORMAL_MODE}`);
    const remarks = [
      safeMode ? SAFE_REMARK : NORMAL_REMARK,
      ...(await copyBeforeUpgrade(database, directory)),
    ];
    migrate(database, directory);
    const flusher = safeMode ? NOTHING_TO_FLUSH : flusherOf(`${path}-wal`);
    return sqliteStore(database, directory, remarks, flusher, log);
  } catch (error) {
    database?.close();
    throw faultFrom(error, directory);
  }
}

/** Gives a sentence where there is no room for one: a yard must start all the same, and a migration is all or nothing. */
async function copyBeforeUpgrade(database: Database, directory: string): Promise<string[]> {
  const version = pragma(database, 'user_version');
  const isOurs = pragma(database, 'application_id') === APPLICATION_ID;
  if (!isOurs || version === 0 || version >= MIGRATIONS.length) return [];
  try {
    await copyOf(database, directory, { now: Date.now(), isBeforeUpgrade: true });
    return [];
  } catch (error) {
    const fault = faultFrom(error, directory);
    const why = fault instanceof Error ? fault.message : String(fault);
    return [`the database was brought up to this version without a copy of it: ${why}`];
  }
}

/** Whoever had the log before us may have left commits in it that are not on the disk. */
function flusherOf(logPath: string): Flusher {
  const flusher = logFlusher(logPath);
  if ((statSync(logPath, { throwIfNoEntry: false })?.size ?? 0) > 0) flusher.noteCommit();
  return flusher;
}

// A log that had to grow while a backup was made shrinks again.
const NORMAL_MODE =
  'pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -16000; pragma journal_size_limit = 67108864';
const NORMAL_REMARK =
  'the database uses a write-ahead log and waits for the disk before anything is acknowledged';
// The locking mode comes first: only then is the lock taken before anything else is read.
const SAFE_MODE =
  'pragma locking_mode = exclusive; pragma journal_mode = delete; pragma synchronous = extra; pragma cache_size = -16000';
const SAFE_REMARK =
  'the database uses a rollback journal and an exclusive lock, as is safe on a network file system, and waits for the disk on every commit';

/** A Store on a database that is open and has this version's tables. */
export function sqliteStore(
  database: Database,
  directory: string,
  remarks: readonly string[],
  flusher: Flusher,
  log: (line: string) => void = () => {},
): Store {
  const unreadable = unreadableRows(log);
  const prepare = statementCache(database);
  const specs = specTable(prepare);
  const writeBatch = batchWriter(prepare, specs);
  const purge = purger(prepare, specs);
  const selectRows = rowSelector(prepare, specs, unreadable);
  const selectJobs = jobSelector(selectRows);
  const readPage = pageReader(prepare, selectRows);

  function guarded<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw faultFrom(error, directory);
    }
  }

  function transaction<T>(action: () => T): T {
    return guarded(() => {
      database.exec('begin immediate');
      try {
        const result = action();
        database.exec('commit');
        flusher.noteCommit();
        specs.settle(true);
        return result;
      } catch (error) {
        rollback(database);
        specs.settle(false);
        throw error;
      }
    });
  }

  return {
    identity: guarded(() => prepare('select id, claims from identity').get() as StoreIdentity),
    remarks,
    unreadable,
    load: () => guarded(() => loadRemembered(prepare, selectJobs, unreadable)),
    append: (batch) => transaction(() => writeBatch(batch)),
    flush: async () => {
      try {
        await flusher.flush();
      } catch (error) {
        const { message } = error as Error;
        throw new Fault(`the disk holding ${directory} did not keep what was written: ${message}`, false);
      }
    },
    blob: (hash) =>
      guarded(() => {
        const row = prepare('select bytes from blobs where hash = ?').get(hash);
        return row === undefined ? null : (row as { bytes: Uint8Array }).bytes;
      }),
    job: (id) => guarded(() => selectJobs('where jobs.id = ?', id)[0] ?? null),
    element: (array, index) =>
      guarded(() => selectJobs('where array_id = ? and array_index = ?', array, index)[0] ?? null),
    elements: (array, limit) =>
      guarded(() => selectJobs('where array_id = ? order by array_index limit ?', array, rowLimit(limit))),
    attempts: (job) => guarded(() => attemptsOf(prepare, job, unreadable)),
    steps: (job) => guarded(() => stepsOf(prepare, job, unreadable)),
    page: (ask) => guarded(() => readPage(ask)),
    jobs: (filter) =>
      guarded(() => {
        const { rest, values } = jobQuery(prepare, filter);
        return selectJobs(rest, ...values);
      }),
    events: (filter) => guarded(() => eventsOf(prepare, filter, unreadable)),
    purge: (endedBefore, atMost) => transaction(() => purge(endedBefore, atMost)),
    settleRestored: () =>
      transaction(() => void prepare(`delete from meta where key = 'restoredFrom'`).run()),
    close: () => {
      flusher.close();
      letGo(database);
      guarded(() => database.close());
    },
  };
}

/**
 * Tidies the log away and gives up an exclusive lock. Closing does both, but with one of the drivers only once
 * its statements have been collected as garbage.
 */
function letGo(database: Database): void {
  try {
    database.exec('pragma wal_checkpoint(truncate)');
    database.exec('pragma locking_mode = normal; select count(*) from sqlite_schema');
  } catch {
    // On a full disk, say. The next opening takes the log over.
  }
}

/** Made before SQLite makes it, because it holds people's environments and is nobody else's to read. */
function makeFile(directory: string, path: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new Fault(`the disk holding ${directory} is full`, true);
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
      throw new Fault(`the directory ${directory} cannot be written: ${reasonOf(code)}`, false);
    }
    throw new Fault(`the directory ${directory} cannot be used: ${message}`, false);
  }
}

function reasonOf(code: string): string {
  return code === 'EROFS' ? 'its file system is read-only' : 'you have no permission';
}
