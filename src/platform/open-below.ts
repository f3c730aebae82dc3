/**
 * Files below an open directory, opened without following a link at any component of their path. For reading only: who
 * has thousands of calls to make keeps the directories on the way open (storage/shelf/confined-calls.ts).
 */

import { close, closeSync, constants, fstat, open, read, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { type DirectoryHandle, isPlainName, O_PATH } from './directory.ts';
import { onDisk } from './path-bytes.ts';

const openFile = promisify(open);
const closeFile = promisify(close);
const statFile = promisify(fstat) as (fd: number) => Promise<Stats>;
const readFile = promisify(read);

const STEP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** A pipe that was put there must not keep us waiting. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Gives a descriptor that the caller closes. Throws as `open` does. */
export async function openBelow(root: DirectoryHandle, path: string): Promise<number> {
  const names = path.split('/');
  const last = names.pop() as string;
  let here = root.fd;
  try {
    for (const name of names) {
      const next = await openFile(entryOf(here, name), STEP);
      if (here !== root.fd) closeSync(here);
      here = next;
    }
    return await openFile(entryOf(here, last), READ);
  } finally {
    if (here !== root.fd) closeSync(here);
  }
}

/** Null: it is not there, is no plain file, is longer than that, or grows. */
export async function readSmallFile(
  open: () => number | Promise<number>,
  maxBytes: number,
): Promise<Buffer | null> {
  let fd: number;
  try {
    fd = await open();
  } catch {
    return null;
  }
  try {
    const found = await statFile(fd);
    if (!found.isFile() || found.size > maxBytes) return null;
    // One byte more, which is read only when it grows meanwhile.
    const bytes = Buffer.alloc(found.size + 1);
    let have = 0;
    while (have < bytes.length) {
      const { bytesRead } = await readFile(fd, bytes, have, bytes.length - have, have);
      if (bytesRead === 0) break;
      have += bytesRead;
    }
    return have > found.size ? null : bytes.subarray(0, have);
  } catch {
    return null;
  } finally {
    await closeFile(fd);
  }
}

function entryOf(directory: number, name: string): string | Buffer {
  if (!isPlainName(name)) throw new Error(`${JSON.stringify(name)} is no name of a file`);
  return onDisk(`/proc/self/fd/${directory}/${name}`);
}
