/**
 * Where the database of a yard is, and whether one should be there. A database that is missing or empty where a yard was
 * before is a fault: a new one in its place would number its jobs from 1 and know nothing of what runs.
 */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../model/refusal.ts';
import { listBackups } from './backups.ts';

export const DATABASE_FILE = 'yard.db';
/** The database and what SQLite keeps beside it. */
export const DATABASE_FILES = [
  DATABASE_FILE,
  ...['-wal', '-shm', '-journal'].map((end) => DATABASE_FILE + end),
];

/** Made by a yard, and never before its database. */
const TRACES = /^(?:(?:ranks|steps)(?:-[0-9a-f]{16})?|id)$/;

/** Throws a Fault, with what to do, when the database of an earlier yard is missing or empty. */
export function checkDatabaseIsThere(directory: string): void {
  const found = statSync(join(directory, DATABASE_FILE), { throwIfNoEntry: false });
  if (found !== undefined && found.size > 0) return;
  const log = statSync(join(directory, `${DATABASE_FILE}-wal`), { throwIfNoEntry: false });
  const traces = readdirSync(directory).filter((name) => TRACES.test(name));
  if (traces.length === 0 && listBackups(directory).length === 0 && (log?.size ?? 0) === 0) return;
  const state = found === undefined ? 'is missing' : 'is empty';
  throw new Fault(
    `the database ${join(directory, DATABASE_FILE)} ${state}, but there was a yard in this directory before`,
    false,
    { hint: waysOut(directory) },
  );
}

/** What somebody can do whose database cannot be used. */
export function waysOut(directory: string): string {
  const [newest, ...more] = listBackups(directory);
  const anew =
    'trainyard up --new-store starts with an empty one; what is there is moved aside, and nothing is removed';
  if (newest === undefined) return `there is no backup; ${anew}`;
  const others = more.length === 0 ? '' : `, the newest of ${more.length + 1}`;
  return `trainyard up --restore-backup puts back the backup of ${utc(newest.at)}${others}; ${anew}`;
}

/** `2026-11-18 06:30 UTC` */
export function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
