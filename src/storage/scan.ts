/**
 * A directory of checkpoints as it is now. Follows no link, so nothing outside the directory is ever taken for a part of
 * it; looks only at names and stat, never into a file; and stops at a bound, since somebody will name a directory with a
 * million files. What comes and goes meanwhile is no error: who calls looks again anyway.
 */

import { lstat } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { textFromBytes } from '../model/bytes.ts';
import { errorWords, isErrno } from '../platform/files.ts';
import { onDisk } from '../platform/path-bytes.ts';
import { inChunks } from './in-chunks.ts';
import { isTemporaryName } from './unit-names.ts';
import { type Entry, type Unit, unitsOf } from './units.ts';

export interface ScanLimits {
  readonly maxFiles: number;
  readonly maxDepth: number;
}

const LIMITS: ScanLimits = { maxFiles: 200_000, maxDepth: 32 };

const PERMISSIONS = 0o7777;

/** Cheaper than the one that gives promises itself, and by far the most of the work. */
const statOf = promisify(lstat);

export interface Listing {
  readonly units: readonly Unit[];
  /**
   * Of every name at the top, temporary ones too, which thing it is: its number and its moment of birth, since a number
   * is used again. Without those of which that moment is not known.
   */
  readonly births: ReadonlyMap<string, string>;
}

/** Without such a directory there are none. Throws when it cannot be read, or holds more than anybody can look at. */
export async function scanDirectory(directory: string, limits = LIMITS): Promise<readonly Unit[]> {
  return (await listDirectory(directory, limits)).units;
}

export async function listDirectory(directory: string, limits = LIMITS): Promise<Listing> {
  const scan: Scan = { directory, limits, seen: 0, entries: [], births: new Map() };
  const names = await namesIn(directory);
  if (names === null) return { units: [], births: scan.births };
  if (names.length > limits.maxFiles)
    throw new Error(
      `${directory} holds ${names.length} files, more than can be watched (${limits.maxFiles})`,
    );
  await addAll(scan, '', names, 1);
  return { units: unitsOf(scan.entries), births: scan.births };
}

interface Scan {
  readonly directory: string;
  readonly limits: ScanLimits;
  seen: number;
  readonly entries: Entry[];
  readonly births: Map<string, string>;
}

async function addAll(scan: Scan, inside: string, names: readonly string[], depth: number): Promise<void> {
  scan.seen += names.length;
  for (const entry of await inChunks(names, (name) => entryOf(scan, inside + name))) {
    if (entry === null) continue;
    const isLookedInto = entry.isDirectory && !(inside === '' && isTemporaryName(entry.path));
    scan.entries.push(isLookedInto ? await addInside(scan, entry, depth) : entry);
  }
}

/** The directory's own entry, with what kept us from looking into it. */
async function addInside(scan: Scan, entry: Entry, depth: number): Promise<Entry> {
  const { limits } = scan;
  const troubled = (trouble: string) => ({ ...entry, trouble: `${entry.path}: ${trouble}` });
  if (depth >= limits.maxDepth) return troubled(`more than ${limits.maxDepth} directories deep`);
  try {
    const names = await namesIn(`${scan.directory}/${entry.path}`);
    if (names === null) return entry;
    if (scan.seen + names.length > limits.maxFiles) return troubled(`more than ${limits.maxFiles} files`);
    await addAll(scan, `${entry.path}/`, names, depth + 1);
    return entry;
  } catch (error) {
    return troubled(errorWords(error));
  }
}

async function namesIn(path: string): Promise<readonly string[] | null> {
  try {
    return (await readdir(onDisk(path), { encoding: 'buffer' })).map(textFromBytes);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Null when it has gone, or is nothing that can be copied: a socket, a pipe, a device. */
async function entryOf({ directory, births }: Scan, path: string): Promise<Entry | null> {
  const whole = onDisk(`${directory}/${path}`);
  try {
    const found = await statOf(whole);
    const { size, mtimeMs, ctimeMs, ino, birthtimeMs } = found;
    if (!found.isFile() && !found.isDirectory() && !found.isSymbolicLink()) return null;
    const link = found.isSymbolicLink() ? textFromBytes(await readlink(whole, { encoding: 'buffer' })) : null;
    if (birthtimeMs > 0 && !path.includes('/')) births.set(path, `${ino} ${birthtimeMs}`);
    const mode = found.mode & PERMISSIONS;
    return { path, size, mtimeMs, ctimeMs, ino, link, mode, isDirectory: found.isDirectory(), trouble: null };
  } catch (error) {
    // A link that was replaced by something else between the two calls.
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR') || isErrno(error, 'EINVAL')) return null;
    throw error;
  }
}
