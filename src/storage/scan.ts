/**
 * A directory of checkpoints as it is now. Everything is looked at below an open descriptor and no link is followed, so
 * nothing outside the directory is ever taken for a part of it. What belongs to another user is listed with that trouble:
 * nobody should resume from a file that somebody else has put there. It looks only at names and stat, never into a file,
 * and stops at a bound, since somebody will name a directory with a million files. What comes and goes meanwhile is no
 * error: who calls looks again anyway.
 */

import { lstat } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { textFromBytes } from '../model/bytes.ts';
import type { DirectoryHandle } from '../platform/directory.ts';
import { errorWords, isErrno } from '../platform/files.ts';
import { enterDirectory, openNamedDirectory } from '../platform/named-directory.ts';
import { ownersOn } from '../platform/owner-here.ts';
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
  const opened = await openIfThere(directory);
  if (opened === null) return { units: [], births: new Map() };
  try {
    return await listOpenDirectory(opened, limits);
  } finally {
    opened.close();
  }
}

export async function scanOpenDirectory(directory: DirectoryHandle): Promise<readonly Unit[]> {
  return (await listOpenDirectory(directory)).units;
}

export async function listOpenDirectory(directory: DirectoryHandle, limits = LIMITS): Promise<Listing> {
  const scan: Scan = { limits, seen: 0, entries: [], births: new Map(), owners: await ownersOn(directory) };
  const names = await namesIn(directory);
  if (names.length > limits.maxFiles)
    throw new Error(
      `${directory.path} holds ${names.length} files, more than can be watched (${limits.maxFiles})`,
    );
  await addAll(scan, directory, '', names, 1);
  return { units: unitsOf(scan.entries), births: scan.births };
}

/** Null: there is none. */
export async function openIfThere(directory: string): Promise<DirectoryHandle | null> {
  try {
    return await openNamedDirectory(directory);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

interface Scan {
  readonly limits: ScanLimits;
  seen: number;
  readonly entries: Entry[];
  readonly births: Map<string, string>;
  /** Whose files are taken for those of the program. */
  readonly owners: ReadonlySet<number>;
}

async function addAll(
  scan: Scan,
  directory: DirectoryHandle,
  inside: string,
  names: readonly string[],
  depth: number,
): Promise<void> {
  scan.seen += names.length;
  for (const entry of await inChunks(names, (name) => entryOf(scan, directory, inside, name))) {
    if (entry === null) continue;
    const isLookedInto = entry.isDirectory && !(inside === '' && isTemporaryName(entry.path));
    scan.entries.push(isLookedInto ? await addInside(scan, directory, entry, depth) : entry);
  }
}

/** The directory's own entry, with what kept us from looking into it. */
async function addInside(scan: Scan, parent: DirectoryHandle, entry: Entry, depth: number): Promise<Entry> {
  const { limits } = scan;
  const troubled = (trouble: string) => ({ ...entry, trouble: `${entry.path}: ${trouble}` });
  if (depth >= limits.maxDepth) return troubled(`more than ${limits.maxDepth} directories deep`);
  let directory: DirectoryHandle | null = null;
  try {
    directory = await enterDirectory(parent, entry.path.slice(entry.path.lastIndexOf('/') + 1));
    const names = await namesIn(directory);
    if (scan.seen + names.length > limits.maxFiles) return troubled(`more than ${limits.maxFiles} files`);
    await addAll(scan, directory, `${entry.path}/`, names, depth + 1);
    return entry;
  } catch (error) {
    // Gone, or something else by now.
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].some((code) => isErrno(error, code))) return entry;
    return troubled(errorWords(error));
  } finally {
    directory?.close();
  }
}

async function namesIn({ fd }: DirectoryHandle): Promise<readonly string[]> {
  return (await readdir(`/proc/self/fd/${fd}`, { encoding: 'buffer' })).map(textFromBytes);
}

/** Null when it has gone, or is nothing that can be copied: a socket, a pipe, a device. */
async function entryOf(
  { births, owners }: Scan,
  directory: DirectoryHandle,
  inside: string,
  name: string,
): Promise<Entry | null> {
  const whole = onDisk(directory.entry(name));
  try {
    const found = await statOf(whole);
    const { size, mtimeMs, ctimeMs, ino, birthtimeMs, uid } = found;
    if (!found.isFile() && !found.isDirectory() && !found.isSymbolicLink()) return null;
    const link = found.isSymbolicLink() ? textFromBytes(await readlink(whole, { encoding: 'buffer' })) : null;
    if (birthtimeMs > 0 && inside === '') births.set(name, `${ino} ${birthtimeMs}`);
    const path = inside + name;
    const mode = found.mode & PERMISSIONS;
    const trouble = owners.has(uid) ? null : `${path}: it belongs to another user (${uid})`;
    return { path, size, mtimeMs, ctimeMs, ino, link, mode, isDirectory: found.isDirectory(), trouble };
  } catch (error) {
    // A link that was replaced by something else between the two calls.
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR') || isErrno(error, 'EINVAL')) return null;
    throw error;
  }
}
