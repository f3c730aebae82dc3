/**
 * Putting another database in the place of one that cannot be used: a backup, or none, so that the next opening makes a
 * new one. What was there is moved to a directory of its own and never removed. To be called while nobody has the
 * database open, by whoever holds the yard's lock.
 */

import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../model/refusal.ts';
import { makeOwnDirectory } from '../../platform/directory.ts';
import { removeIfThere, syncDirectory, syncFile } from '../../platform/files.ts';
import { type Backup, listBackups, timeInName } from './backups.ts';
import { whyNotGood } from './check-backup.ts';
import { type Database, loadDriver } from './driver.ts';
import { faultFrom } from './faults.ts';
import { DATABASE_FILE, DATABASE_FILES, utc } from './place.ts';

/** Moves the database away. Gives the directory that it is in now; null when there was none. */
export function setAside(directory: string, now: number): string | null {
  const found = DATABASE_FILES.filter((name) => existsSync(join(directory, name)));
  if (found.length === 0) return null;
  const aside = join(directory, `set-aside-${timeInName(now)}`);
  makeOwnDirectory(aside).close();
  // The database goes first: without its log it could be taken for a whole one, and without it nothing starts.
  for (const name of found) renameSync(join(directory, name), join(aside, name));
  syncDirectory(aside);
  syncDirectory(directory);
  return aside;
}

export interface Restored {
  readonly backup: Backup;
  /** Where what was there before is now. */
  readonly aside: string | null;
}

/** Puts a backup in place: the newest good one when none is named. Throws a Fault with nothing changed when there is none. */
export async function restoreBackup(directory: string, name: string | null, now: number): Promise<Restored> {
  const backup = await chooseBackup(directory, name);
  const draft = join(directory, `${DATABASE_FILE}.draft`);
  try {
    removeIfThere(draft);
    copyFileSync(backup.path, draft);
    await markRestored(draft, backup.at);
    syncFile(draft);
    const aside = setAside(directory, now);
    renameSync(draft, join(directory, DATABASE_FILE));
    syncDirectory(directory);
    return { backup, aside };
  } catch (error) {
    throw faultFrom(error, directory);
  } finally {
    removeIfThere(draft);
  }
}

async function chooseBackup(directory: string, name: string | null): Promise<Backup> {
  const all = listBackups(directory);
  if (all.length === 0) throw new Fault(`there is no backup in ${directory}/backups`, false);
  const named = name === null ? all : all.filter((backup) => backup.name === name);
  const choices = `the backups are ${all.map((backup) => `${backup.name} (${utc(backup.at)})`).join(', ')}`;
  if (named.length === 0) throw new Fault(`there is no backup ${name}`, false, { hint: choices });
  const troubles: string[] = [];
  for (const backup of named) {
    const why = await whyNotGood(backup.path);
    if (why === null) return backup;
    troubles.push(`${backup.name}: ${why}`);
  }
  throw new Fault(`no backup can be used: ${troubles.join('; ')}`, false, {
    hint: name === null ? null : choices,
  });
}

/** Notes in it of when it is: the next daemon holds what may have run since. */
async function markRestored(path: string, at: number): Promise<void> {
  const open = await loadDriver();
  let database: Database | null = null;
  try {
    database = open(path);
    database.exec(`insert or replace into meta (key, value) values ('restoredFrom', ${at})`);
  } finally {
    database?.close();
  }
}
