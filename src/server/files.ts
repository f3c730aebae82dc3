/**
 * Reading and writing files for a caller: plain files only, never more than asked for, and nothing that could block
 * the yard (a FIFO, a terminal, a device). Which file, and what its bytes mean, is the caller's business.
 */

import { constants } from 'node:fs';
import { access, type FileHandle, open, realpath, stat } from 'node:fs/promises';
import type { FoundProgram, ReadResult, WriteResult } from '../dialects/program.ts';
import { bytesFromText, textFromBytes } from '../model/bytes.ts';
import { RefusalError, refusal } from '../model/refusal.ts';

/** Part of a file, and how long the file was. */
export interface Slice {
  readonly bytes: Uint8Array;
  readonly sizeBytes: number;
}

const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
const FIRST_READ_BYTES = 64 * 1024;

/** File names are bytes: a name that is not UTF-8 must be found all the same. */
export function pathBytes(path: string): Buffer {
  return Buffer.from(bytesFromText(path));
}

/** The whole file, with the ways in which it may fail told apart. */
export async function readWholeFile(path: string, maxBytes: number): Promise<ReadResult> {
  if (isOwnDescriptor(path)) return { ok: false, error: 'unreadable' };
  try {
    const handle = await openPlainFile(path);
    if (typeof handle === 'string') return { ok: false, error: handle };
    try {
      return await readUpTo(handle, maxBytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { ok: false, error: failureOf(error) };
  }
}

/** What the file has from `offset` on, `maxBytes` at most. Null when there is no such file. */
export async function readAt(path: string, offset: number, maxBytes: number): Promise<Slice | null> {
  try {
    const handle = await openPlainFile(path);
    if (typeof handle === 'string') return null;
    try {
      const sizeBytes = (await handle.stat()).size;
      const wanted = Math.max(0, Math.min(maxBytes, sizeBytes - offset));
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(wanted), 0, wanted, offset);
      return { bytes: buffer.subarray(0, bytesRead), sizeBytes };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (failureOf(error) === 'missing') return null;
    throw new RefusalError(refusal('noSuchFile', `cannot read ${path}: ${reasonOf(error)}`));
  }
}

export interface WriteManner {
  readonly append: boolean;
  /** Of a file that was not there. */
  readonly mode: number;
}

export async function writeWholeFile(
  path: string,
  bytes: Uint8Array,
  { append, mode }: WriteManner,
): Promise<WriteResult> {
  if (isOwnDescriptor(path)) return { ok: false, error: 'unwritable' };
  try {
    const handle = await openToWrite(path, append, mode);
    if (typeof handle === 'string') return { ok: false, error: handle };
    try {
      await handle.writeFile(bytes);
      return { ok: true };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const failure = failureOf(error);
    return { ok: false, error: failure === 'unreadable' || failure === 'tooLarge' ? 'unwritable' : failure };
  }
}

const WRITE_FLAGS = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

async function openToWrite(
  path: string,
  append: boolean,
  mode: number,
): Promise<FileHandle | 'directory' | 'unwritable'> {
  const before = await stat(pathBytes(path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (before === null) {
    const handle = await open(pathBytes(path), WRITE_FLAGS | constants.O_CREAT | constants.O_EXCL, mode);
    // The yard's own umask is narrower than the caller's.
    await handle.chmod(mode);
    return handle;
  }
  if (before.isDirectory()) return 'directory';
  if (!before.isFile()) return 'unwritable';
  return open(pathBytes(path), WRITE_FLAGS | (append ? constants.O_APPEND : constants.O_TRUNC));
}

/** The first of these directories' programs with that name. */
export async function findProgramIn(
  directories: readonly string[],
  name: string,
): Promise<FoundProgram | null> {
  for (const directory of directories) {
    const path = `${directory}/${name}`;
    try {
      await access(pathBytes(path), constants.X_OK);
      if ((await stat(pathBytes(path))).isFile())
        return { path, realPath: textFromBytes(await realpath(pathBytes(path), { encoding: 'buffer' })) };
    } catch {
      // Not there, or not to be executed: the next one.
    }
  }
  return null;
}

type Failure = Extract<ReadResult, { ok: false }>['error'];

/** These names mean whoever opens them, which here would be the yard and not the caller. */
function isOwnDescriptor(path: string): boolean {
  return /^\/(dev\/(fd|stdin|stdout|stderr|tty)|proc\/(self|thread-self))(\/|$)/.test(path);
}

/** Looks before it opens, since opening a FIFO or a device does something to those at its other end. */
async function openPlainFile(path: string): Promise<FileHandle | 'directory' | 'unreadable'> {
  const before = await stat(pathBytes(path));
  if (before.isDirectory()) return 'directory';
  if (!before.isFile()) return 'unreadable';
  const handle = await open(pathBytes(path), OPEN_FLAGS);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return 'unreadable';
}

/** Reads to the end rather than to the size, which may be changing, or be 0 as it is in /proc. */
async function readUpTo(handle: FileHandle, maxBytes: number): Promise<ReadResult> {
  const sizeBytes = (await handle.stat()).size;
  if (sizeBytes > maxBytes) return { ok: false, error: 'tooLarge' };
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const room = Math.max(sizeBytes - total + 1, FIRST_READ_BYTES);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(room), 0, room, null);
    if (bytesRead === 0) return { ok: true, bytes: Buffer.concat(chunks) };
    total += bytesRead;
    if (total > maxBytes) return { ok: false, error: 'tooLarge' };
    chunks.push(buffer.subarray(0, bytesRead));
  }
}

function failureOf(error: unknown): Failure {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'missing';
    case 'EACCES':
    case 'EPERM':
      return 'denied';
    case 'EISDIR':
      return 'directory';
    default:
      return 'unreadable';
  }
}

function reasonOf(error: unknown): string {
  return failureOf(error) === 'denied' ? 'permission denied' : 'it is not a readable file';
}
