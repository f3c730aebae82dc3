/**
 * Making a backup of a store: a copy as of one moment, made by SQLite itself beside whoever writes, flushed to the
 * disk, read through, and only then given its name. It can take seconds: the daemon has another process do it.
 */

import { closeSync, existsSync, openSync, readdirSync, renameSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../model/refusal.ts';
import { makeOwnDirectory } from '../../platform/directory.ts';
import { removeIfThere, syncDirectory, syncFile } from '../../platform/files.ts';
import { BACKUPS, backupName, dropOldBackups } from './backups.ts';
import { whyNotGood } from './check-backup.ts';
import { type Database, loadDriver } from './driver.ts';
import { faultFrom } from './faults.ts';
import { DATABASE_FILE } from './place.ts';

/** Beyond the copy itself, so much room stays free for what the yard has to write. */
const ROOM_LEFT_BYTES = 16 * 1024 * 1024;
/** Carries the number of the process that makes it: one whose daemon died may still be at it. */
const DRAFT = /^backup-(\d+)\.draft(?:-journal)?$/;

/** Makes one through a connection of its own. Gives its name. Throws a Fault. */
export async function backUp(directory: string, now: number): Promise<string> {
  const open = await loadDriver();
  let database: Database | null = null;
  try {
    database = open(join(directory, DATABASE_FILE));
    database.exec('pragma busy_timeout = 10000');
    return await copyOf(database, directory, { now, isBeforeUpgrade: false });
  } catch (error) {
    throw faultFrom(error, directory);
  } finally {
    database?.close();
  }
}

export interface CopyRequest {
  readonly now: number;
  readonly isBeforeUpgrade: boolean;
}

/** The same through a connection that is open. */
export async function copyOf(
  database: Database,
  directory: string,
  { now, isBeforeUpgrade }: CopyRequest,
): Promise<string> {
  const backups = join(directory, BACKUPS);
  makeOwnDirectory(backups).close();
  checkRoom(directory);
  const store = storeIdOf(database);
  const draft = join(backups, `backup-${process.pid}.draft`);
  try {
    removeLeftDrafts(backups);
    // Made here, since SQLite would let others read it.
    closeSync(openSync(draft, 'wx', 0o600));
    database.exec(`vacuum into '${draft.replaceAll("'", "''")}'`);
    // What was committed meanwhile had to stay in the log. Moved out here, it is not the writer who has to wait for it.
    database.exec('pragma wal_checkpoint(passive)');
    syncFile(draft);
    const why = await whyNotGood(draft);
    if (why !== null) throw new Fault(`the copy of the database cannot be used: ${why}`, true);
    const name = backupName(now, store, isBeforeUpgrade);
    renameSync(draft, join(backups, name));
    syncDirectory(backups);
    dropOldBackups(directory, store);
    return name;
  } finally {
    removeIfThere(draft);
  }
}

function removeLeftDrafts(backups: string): void {
  for (const name of readdirSync(backups)) {
    const pid = DRAFT.exec(name)?.[1];
    if (pid !== undefined && (Number(pid) === process.pid || !existsSync(`/proc/${pid}`)))
      removeIfThere(join(backups, name));
  }
}

function storeIdOf(database: Database): string {
  const named = database.prepare(`select 1 from sqlite_schema where name = 'identity'`).get();
  if (named === undefined) return 'none';
  return (database.prepare('select id from identity').get() as { id: string }).id;
}

function checkRoom(directory: string): void {
  const wanted = sizeOf(DATABASE_FILE) + sizeOf(`${DATABASE_FILE}-wal`) + ROOM_LEFT_BYTES;
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize < wanted) throw new Fault('there is not enough room on the disk', true);

  function sizeOf(name: string): number {
    return statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
  }
}
