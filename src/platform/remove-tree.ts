/**
 * Removes a directory with all that is in it, whatever permissions were left there. Every directory is opened by
 * descriptor and no link is followed, so that nobody who swaps names meanwhile leads it elsewhere; and it never goes
 * into another file system that somebody has mounted below.
 */

import { opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { printable, textFromBytes } from '../model/bytes.ts';
import { type DirectoryHandle, openDirectory, openDirectoryIn, permitOwnerIn } from './directory.ts';
import { isErrno } from './files.ts';
import { onDisk } from './path-bytes.ts';

/** So many files are unlinked at once. */
const AT_ONCE = 16;
/** Each level has a descriptor open. What lies deeper is moved up first. */
const MAX_DEPTH = 32;
/** A file system may leave entries out of a listing while others are removed. */
const MAX_PASSES = 10_000;

/** Safe to repeat, and when there is no such directory. */
export async function removeTree(path: string): Promise<void> {
  const parent = openIfThere(() => openDirectory(dirname(path)));
  if (parent === null) return;
  try {
    await removeTreeIn(parent, basename(path));
  } finally {
    parent.close();
  }
}

/** Removes an entry of a directory, whatever it is. Safe to repeat, and when there is none. */
export async function removeTreeIn(parent: DirectoryHandle, name: string): Promise<void> {
  // Most directories are empty. A busy disk can make even that take long, so it is not waited for here.
  if (await isGoneAsEmpty(parent, name)) return;
  if (await isGoneAsFile(parent, name)) return;
  await removeDirectory(null, parent, name, 0);
}

/** `root`: the directory at the top of the tree; null for itself. */
async function removeDirectory(
  root: DirectoryHandle | null,
  parent: DirectoryHandle,
  name: string,
  depth: number,
): Promise<void> {
  const directory = openForRemoval(parent, name);
  if (directory === null) return;
  try {
    if (root !== null && root.stat().dev !== directory.stat().dev)
      throw new Error(`${printable(directory.path)} is a mount point: unmount it first`);
    await empty(root ?? directory, directory, depth);
  } finally {
    directory.close();
  }
  await rmdir(onDisk(parent.entry(name))).catch(fineIfMissing);
}

async function empty(root: DirectoryHandle, directory: DirectoryHandle, depth: number): Promise<void> {
  for (let pass = 1; ; pass++) {
    const { names, directories } = await removeFiles(directory);
    if (names === 0) return;
    for (const name of directories) {
      if (depth < MAX_DEPTH) await removeDirectory(root, directory, name, depth + 1);
      else await moveUp(root, directory, name);
    }
    if (pass === MAX_PASSES)
      throw new Error(`${printable(directory.path)} cannot be emptied: files keep coming`);
  }
}

/** To the top of the tree, where the next pass finds it. */
async function moveUp(root: DirectoryHandle, directory: DirectoryHandle, name: string): Promise<void> {
  const moved = `.removing-${process.pid}-${directory.stat().ino}-${Math.random().toString(36).slice(2)}`;
  permitOwnerIn(directory, name);
  await rename(onDisk(directory.entry(name)), onDisk(root.entry(moved)));
}

/** How many entries there were, and which of them are directories. */
async function removeFiles(directory: DirectoryHandle) {
  const directories: string[] = [];
  let names = 0;
  let pending: Promise<void>[] = [];
  const remove = async (name: string) => {
    try {
      await unlink(onDisk(directory.entry(name)));
    } catch (error) {
      if (isErrno(error, 'EISDIR')) directories.push(name);
      else fineIfMissing(error);
    }
  };
  // An encoding of 'buffer' gives buffers, which the types do not say.
  const listing = await opendir(`/proc/self/fd/${directory.fd}`, { encoding: 'buffer' as BufferEncoding });
  for await (const entry of listing) {
    names++;
    pending.push(remove(textFromBytes(entry.name as unknown as Buffer)));
    if (pending.length < AT_ONCE) continue;
    await Promise.all(pending);
    pending = [];
  }
  await Promise.all(pending);
  return { names, directories };
}

function openForRemoval(parent: DirectoryHandle, name: string): DirectoryHandle | null {
  return openIfThere(() => {
    try {
      const directory = openDirectoryIn(parent, name);
      if ((directory.stat().mode & 0o700) !== 0o700) permitOwnerIn(parent, name);
      return directory;
    } catch (error) {
      if (!isErrno(error, 'EACCES')) throw error;
      permitOwnerIn(parent, name);
      return openDirectoryIn(parent, name);
    }
  });
}

function openIfThere(open: () => DirectoryHandle): DirectoryHandle | null {
  try {
    return open();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

async function isGoneAsEmpty(parent: DirectoryHandle, name: string): Promise<boolean> {
  try {
    await rmdir(onDisk(parent.entry(name)));
    return true;
  } catch (error) {
    return isErrno(error, 'ENOENT');
  }
}

async function isGoneAsFile(parent: DirectoryHandle, name: string): Promise<boolean> {
  try {
    await unlink(onDisk(parent.entry(name)));
    return true;
  } catch (error) {
    if (isErrno(error, 'EISDIR')) return false;
    fineIfMissing(error);
    return true;
  }
}

function fineIfMissing(error: unknown): void {
  if (!isErrno(error, 'ENOENT')) throw error;
}
