/**
 * Files and directories of a shelf as they are on disk, against what is listed of them. Nothing here follows a link, and
 * nothing that is not listed is removed, except in drafts, which are ours alone.
 */

import { constants, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { isErrno } from '../../platform/files.ts';
import type { FileCalls } from './file-calls.ts';
import type { Kept, KeptFile } from './manifest.ts';

/** Where a shelf is, and how its files are reached. */
export interface Ground {
  readonly directory: string;
  /** `.trainyard` in it. */
  readonly hidden: string;
  readonly calls: FileCalls;
  /** For many small things: as quick as the file system allows. */
  readonly bulk: FileCalls;
  /** So many small files at once; a server that is far away answers many questions in the time of one. */
  readonly atOnce: number;
  /** On a disk of this machine, where asking for room and early writing are worth their calls. */
  readonly isLocal: boolean;
  /** Times of the same file may differ by this: a shelf that was moved by some tools has lost its milliseconds. */
  readonly slackMs: number;
}

/** Direct calls keep everybody else in this process waiting; now and then they get their turn. */
const BREATH_EVERY = 128;

/** In parallel up to a number of them. The first error ends it, when those under way have ended. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<boolean | undefined>,
): Promise<boolean> {
  let next = 0;
  let isGoingOn = true;
  let failure: { readonly error: unknown } | null = null;
  const worker = async () => {
    while (isGoingOn && next < items.length) {
      const index = next++;
      if (index % BREATH_EVERY === BREATH_EVERY - 1) await setImmediate();
      try {
        if ((await work(items[index] as Item, index)) === false) isGoingOn = false;
      } catch (error) {
        failure ??= { error };
        isGoingOn = false;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (failure !== null) throw (failure as { readonly error: unknown }).error;
  return isGoingOn;
}

/** By size and time: whether these are the bytes is another question (check.ts). */
export function isAsListed({ slackMs }: Ground, stat: Stats | null, file: KeptFile): boolean {
  return (
    stat !== null &&
    (file.link === undefined ? stat.isFile() : stat.isSymbolicLink()) &&
    stat.size === file.size &&
    Math.abs(stat.mtimeMs - (file.shelfMtimeMs ?? file.mtimeMs)) <= slackMs
  );
}

export function areAllAsListed(ground: Ground, root: string, { files }: Kept): Promise<boolean> {
  const { bulk, atOnce } = ground;
  return eachOf(files, atOnce, async (file) =>
    isAsListed(ground, await bulk.look(`${root}/${file.path}`), file),
  );
}

/** Some file systems refuse to sync a directory; then a rename in it is as durable as they make it. */
export async function syncDirectory(calls: FileCalls, path: string): Promise<void> {
  const fd = await calls.open(path, constants.O_RDONLY);
  try {
    await calls.sync(fd);
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EBADF', 'EACCES'].some((code) => isErrno(error, code)))
      throw error;
  } finally {
    await calls.close(fd);
  }
}

/** Whatever it is and whatever its permissions; nothing when it is not there. */
export async function removeAll(calls: FileCalls, path: string): Promise<void> {
  const found = await calls.look(path);
  if (found === null) return;
  if (!found.isDirectory()) return removeOne(calls, path);
  if ((found.mode & 0o700) !== 0o700) await calls.permit(path, 0o700);
  await eachOf(await calls.names(path), 1, async (name) => {
    await removeAll(calls, `${path}/${name}`);
    return undefined;
  });
  await removeEmpty(calls, path);
}

async function removeOne(calls: FileCalls, path: string): Promise<void> {
  try {
    await calls.remove(path);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}

/** Stays where there is still something in it. */
export async function removeEmpty(calls: FileCalls, path: string): Promise<void> {
  try {
    await calls.removeDirectory(path);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].some((code) => isErrno(error, code))) throw error;
  }
}

/** What is listed and as it is listed; whatever else is there, or was put in its place, stays. */
export async function removeListed(ground: Ground, root: string, entry: Kept): Promise<void> {
  const { bulk } = ground;
  await eachOf(entry.files, 1, async (file) => {
    const path = `${root}/${file.path}`;
    if (isAsListed(ground, await bulk.look(path), file)) await removeOne(bulk, path);
    return undefined;
  });
  for (const { path } of entry.directories.toReversed()) await removeEmpty(bulk, `${root}/${path}`);
}

/** A name in a directory that nothing has yet: the wished one, or that with a number. */
export async function freeName(calls: FileCalls, directory: string, wished: string): Promise<string> {
  // Names of more than 255 bytes cannot be had.
  const base = Buffer.byteLength(wished) > 240 ? wished.slice(0, 60) : wished;
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}.${n}`;
    if ((await calls.look(`${directory}/${name}`)) === null) return name;
  }
}

export async function dateLink({ bulk }: Ground, path: string, mtimeMs: number): Promise<void> {
  try {
    await bulk.date(path, mtimeMs);
  } catch {
    // Not every file system gives links a time of their own.
  }
}
