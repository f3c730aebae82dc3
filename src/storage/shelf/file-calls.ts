/**
 * The calls to a file system that copies are made of, in two manners. Patient ones wait in threads, so that a server
 * that hangs hangs nobody else. Direct ones do not leave this thread, which for thousands of small files on a local disk
 * is several times quicker. Who uses them waits for the answer either way. Paths may hold odd bytes, as model/bytes.ts
 * has them. Tests put others in their place, to stop a copy at every call.
 */

import * as fs from 'node:fs';
import * as later from 'node:fs/promises';
import { promisify } from 'node:util';
import { textFromBytes } from '../../model/bytes.ts';
import { beginWriteOut, cloneFile, exchangeNames, reserveRoom, syncFileSystem } from '../../platform/disk.ts';
import { isErrno } from '../../platform/files.ts';
import { onDisk } from '../../platform/path-bytes.ts';

export type Awaitable<Value> = Value | Promise<Value>;

export interface FileCalls {
  open(path: string, flags: number, mode?: number): Awaitable<number>;
  close(fd: number): Awaitable<void>;
  statOf(fd: number): Awaitable<fs.Stats>;
  /** How many bytes there were. */
  read(fd: number, into: Buffer, bytes: number, at: number): Awaitable<number>;
  /** How many bytes were taken. */
  write(fd: number, from: Buffer, start: number, bytes: number, at: number): Awaitable<number>;
  truncate(fd: number, bytes: number): Awaitable<void>;
  /** Permissions and time of an open file. */
  dress(fd: number, mode: number, mtimeMs: number): Awaitable<void>;
  sync(fd: number): Awaitable<void>;
  syncAll(fd: number): Awaitable<boolean>;
  beginWriteOut(fd: number, from: number, bytes: number): Awaitable<void>;
  reserve(fd: number, bytes: number): Awaitable<void>;
  clone(fromFd: number, toFd: number): Awaitable<boolean>;

  /** Of the entry itself, also where it is a link; null when there is none. */
  look(path: string): Awaitable<fs.Stats | null>;
  names(path: string): Awaitable<readonly string[]>;
  readLink(path: string): Awaitable<string>;
  /** With all above it; one that is there is no error. */
  makeDirectory(path: string): Awaitable<void>;
  makeLink(target: string, path: string): Awaitable<void>;
  /** Another name for the same file. */
  nameAlso(path: string, other: string): Awaitable<void>;
  rename(from: string, to: string): Awaitable<void>;
  exchange(one: string, other: string): Awaitable<boolean>;
  remove(path: string): Awaitable<void>;
  removeDirectory(path: string): Awaitable<void>;
  permit(path: string, mode: number): Awaitable<void>;
  date(path: string, mtimeMs: number): Awaitable<void>;
}

const read = promisify(fs.read);
const write = promisify(fs.write);

export const patientCalls: FileCalls = {
  open: promisify((path: string, flags: number, mode: number | undefined, done: Done<number>) =>
    fs.open(onDisk(path), flags, mode, done),
  ),
  close: promisify(fs.close),
  statOf: (fd) => promisify(fs.fstat)(fd),
  read: async (fd, into, bytes, at) => (await read(fd, into, 0, bytes, at)).bytesRead,
  write: async (fd, from, start, bytes, at) => (await write(fd, from, start, bytes, at)).bytesWritten,
  truncate: (fd, bytes) => promisify(fs.ftruncate)(fd, bytes),
  async dress(fd, mode, mtimeMs) {
    await promisify(fs.fchmod)(fd, mode);
    await promisify(fs.futimes)(fd, mtimeMs / 1000, mtimeMs / 1000);
  },
  sync: promisify(fs.fsync),
  syncAll: syncFileSystem,
  beginWriteOut,
  reserve: reserveRoom,
  clone: cloneFile,
  look: (path) => later.lstat(onDisk(path)).catch(nullIfMissing),
  names: async (path) => (await later.readdir(onDisk(path), { encoding: 'buffer' })).map(textFromBytes),
  readLink: async (path) => textFromBytes(await later.readlink(onDisk(path), { encoding: 'buffer' })),
  makeDirectory: (path) => makeDirectories(path, (one) => later.mkdir(onDisk(one))),
  makeLink: (target, path) => later.symlink(onDisk(target), onDisk(path)),
  nameAlso: (path, other) => later.link(onDisk(path), onDisk(other)),
  rename: (from, to) => later.rename(onDisk(from), onDisk(to)),
  exchange: exchangeNames,
  remove: (path) => later.unlink(onDisk(path)),
  removeDirectory: (path) => later.rmdir(onDisk(path)),
  permit: (path, mode) => later.chmod(onDisk(path), mode),
  date: (path, mtimeMs) => later.lutimes(onDisk(path), mtimeMs / 1000, mtimeMs / 1000),
};

export const directCalls: FileCalls = {
  // These may take long even where the rest does not.
  ...patientCalls,
  open: (path, flags, mode) => fs.openSync(onDisk(path), flags, mode),
  close: fs.closeSync,
  statOf: (fd) => fs.fstatSync(fd),
  read: (fd, into, bytes, at) => fs.readSync(fd, into, 0, bytes, at),
  write: (fd, from, start, bytes, at) => fs.writeSync(fd, from, start, bytes, at),
  truncate: fs.ftruncateSync,
  dress(fd, mode, mtimeMs) {
    fs.fchmodSync(fd, mode);
    fs.futimesSync(fd, mtimeMs / 1000, mtimeMs / 1000);
  },
  look: (path) => fs.lstatSync(onDisk(path), { throwIfNoEntry: false }) ?? null,
  names: (path) => fs.readdirSync(onDisk(path), { encoding: 'buffer' }).map(textFromBytes),
  readLink: (path) => textFromBytes(fs.readlinkSync(onDisk(path), { encoding: 'buffer' })),
  makeDirectory: (path) => makeDirectories(path, async (one) => fs.mkdirSync(onDisk(one))),
  makeLink: (target, path) => fs.symlinkSync(onDisk(target), onDisk(path)),
  nameAlso: (path, other) => fs.linkSync(onDisk(path), onDisk(other)),
  rename: (from, to) => fs.renameSync(onDisk(from), onDisk(to)),
  remove: (path) => fs.unlinkSync(onDisk(path)),
  removeDirectory: (path) => fs.rmdirSync(onDisk(path)),
  permit: (path, mode) => fs.chmodSync(onDisk(path), mode),
  date: (path, mtimeMs) => fs.lutimesSync(onDisk(path), mtimeMs / 1000, mtimeMs / 1000),
};

/**
 * Node's own way never ends where a directory is there and nothing can be made in it for lack of a name, as under /proc
 * and where directories appear when they are asked for.
 */
export async function makeDirectories(path: string, make: (path: string) => Promise<unknown>): Promise<void> {
  try {
    await make(path);
  } catch (error) {
    const above = path.replace(/\/+[^/]*\/*$/, '');
    if (isErrno(error, 'ENOENT') && above !== '') {
      await makeDirectories(above, make);
      await make(path).catch(fineIfThere);
    } else fineIfThere(error);
  }
}

function fineIfThere(error: unknown): void {
  if (!isErrno(error, 'EEXIST')) throw error;
}

type Done<Value> = (error: Error | null, value: Value) => void;

function nullIfMissing(error: unknown): null {
  if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
  throw error;
}
