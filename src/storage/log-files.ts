/** Small questions about files and their copies that the copying of logs has. */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
import { isErrno } from '../platform/files.ts';
import { onDisk } from '../platform/path-bytes.ts';

const PIECE_BYTES = 1 << 20;

/** Of the entry itself, also where it is a link. */
export async function statIfThere(path: string): Promise<Stats | null> {
  try {
    return await lstat(onDisk(path));
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    throw error;
  }
}

export async function removeDraft(path: string): Promise<void> {
  try {
    await unlink(onDisk(path));
  } catch (error) {
    if (!isErrno(error, 'ENOENT') && !isErrno(error, 'ENOTDIR')) throw error;
  }
}

/** Some file systems refuse to sync a directory; then a rename in it is as durable as they make it. */
export async function syncPath(path: string): Promise<void> {
  try {
    const handle = await open(onDisk(path), 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch {
    return;
  }
}

/** Whether a file begins with all that another holds: then that one is what it was earlier. */
export async function sameContentUpTo(file: FileHandle, otherPath: string, other: Stats): Promise<boolean> {
  if (!other.isFile() || (await file.stat()).size < other.size) return false;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(onDisk(otherPath), flags);
  try {
    const here = Buffer.allocUnsafe(PIECE_BYTES);
    const there = Buffer.allocUnsafe(PIECE_BYTES);
    for (let at = 0; at < other.size; ) {
      const want = Math.min(PIECE_BYTES, other.size - at);
      const one = await file.read(here, 0, want, at);
      const two = await handle.read(there, 0, want, at);
      const both = Math.min(one.bytesRead, two.bytesRead);
      if (both === 0 || !here.subarray(0, both).equals(there.subarray(0, both))) return false;
      at += both;
    }
    return true;
  } finally {
    await handle.close();
  }
}
