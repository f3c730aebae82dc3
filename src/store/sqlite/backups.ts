/**
 * Backups of a store: whole databases in the directory `backups`, named by time and store. Which there are,
 * and which are too old to be kept.
 */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removeIfThere } from '../../platform/files.ts';

export interface Backup {
  readonly name: string;
  readonly path: string;
  /** When it was made. */
  readonly at: number;
  /** The id of the store, `none` for one older than ids. */
  readonly store: string;
  readonly isBeforeUpgrade: boolean;
  readonly bytes: number;
}

export const BACKUPS = 'backups';
/** Of each store so many are kept, and one more of those made before an upgrade. */
const MOST_KEPT = 3;
const MOST_KEPT_BEFORE_UPGRADE = 1;

const NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-([0-9a-f]{16}|none)(-before-upgrade)?\.db$/;

export function backupName(at: number, store: string, isBeforeUpgrade: boolean): string {
  return `${timeInName(at)}-${store}${isBeforeUpgrade ? '-before-upgrade' : ''}.db`;
}

/** `20261118T063000Z`: sorts by time, and needs no quotes. */
export function timeInName(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** Newest first. Whatever else is in the directory is left alone. */
export function listBackups(directory: string): readonly Backup[] {
  const backups = join(directory, BACKUPS);
  return namesIn(backups)
    .flatMap((name) => parseBackup(backups, name) ?? [])
    .sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1));
}

/** A directory that is missing, or cannot be read, has no backups to offer. */
function namesIn(backups: string): readonly string[] {
  try {
    return readdirSync(backups);
  } catch {
    return [];
  }
}

function parseBackup(backups: string, name: string): Backup | null {
  const match = NAME.exec(name);
  const found = match === null ? undefined : statSync(join(backups, name), { throwIfNoEntry: false });
  if (match === null || found === undefined || !found.isFile()) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    name,
    path: join(backups, name),
    at: Date.UTC(year, month - 1, day, hour, minute, second),
    store: match[7] as string,
    isBeforeUpgrade: match[8] !== undefined,
    bytes: found.size,
  };
}

/** Removes what is more than enough of one store; those of other stores are the last that is left of them. */
export function dropOldBackups(directory: string, store: string): void {
  const own = listBackups(directory).filter((backup) => backup.store === store);
  const regular = own.filter(({ isBeforeUpgrade }) => !isBeforeUpgrade).slice(MOST_KEPT);
  const early = own.filter(({ isBeforeUpgrade }) => isBeforeUpgrade).slice(MOST_KEPT_BEFORE_UPGRADE);
  for (const { path } of [...regular, ...early]) removeIfThere(path);
}

const DAY_MS = 86_400_000;

/** Whether the newest one of this store is so old that there should be another. */
export function isBackupDue(directory: string, store: string, now: number): boolean {
  const newest = listBackups(directory).find((backup) => backup.store === store);
  // One from the future was made by a clock that was wrong.
  return newest === undefined || newest.at > now || now - newest.at >= DAY_MS;
}
