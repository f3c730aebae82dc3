/**
 * What a file system can do beyond Node's calls: make many files safe at once, begin to write before it must, promise
 * room, swap two names, share blocks between files. Each says when it cannot be had; none is needed for correctness.
 */

import { release } from 'node:os';
import koffi from 'koffi';
import { bytesFromText } from '../model/bytes.ts';
import { errorName, lazily, libc } from './libc.ts';

const SYNC_FILE_RANGE_WRITE = 2;
const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const FICLONE = 0x40049409;

/** What these calls answer where a file system has no such thing. */
const UNSUPPORTED = new Set(['EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EINVAL', 'ENOTTY', 'EXDEV', 'EPERM']);

const syncfs = lazily(() => libc().func('int syncfs(int fd)'));
const syncFileRange = lazily(() =>
  libc().func('int sync_file_range(int fd, int64_t offset, int64_t bytes, unsigned int flags)'),
);
const fallocate = lazily(() => libc().func('int fallocate(int fd, int mode, int64_t offset, int64_t bytes)'));
const ioctl = lazily(() => libc().func('int ioctl(int fd, unsigned long request, ...)'));
const renameat2 = lazily(() => {
  try {
    return libc().func(
      'int renameat2(int fromDirectory, void *from, int toDirectory, void *to, unsigned int flags)',
    );
  } catch {
    // An older C library, or a smaller one.
    return null;
  }
});

/** False: it did not succeed, or this kernel would not say so if it had failed. Then each file has to be synced. */
export async function syncFileSystem(fd: number): Promise<boolean> {
  if (!reportsLostWrites()) return false;
  return (await inBackground(syncfs(), fd)) === 0;
}

/** Linux keeps failed writes for whoever calls syncfs since 5.8. */
const reportsLostWrites = lazily(() => {
  const [major = 0, minor = 0] = release().split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 8);
});

/** Begins to write a part of a file out, so that a sync at the end finds little left to do. */
export async function beginWriteOut(fd: number, from: number, bytes: number): Promise<void> {
  await inBackground(syncFileRange(), fd, from, bytes, SYNC_FILE_RANGE_WRITE);
}

/** Throws as Node does when there is no room; where room cannot be promised, nothing happens. */
export function reserveRoom(fd: number, bytes: number): void {
  if (bytes === 0 || (fallocate()(fd, 0, 0, bytes) as number) === 0) return;
  const code = errorName(koffi.errno());
  if (!UNSUPPORTED.has(code) && code !== 'EINTR')
    throw Object.assign(new Error(`${code}: fallocate`), { code, syscall: 'fallocate' });
}

/** Swaps two names without a moment in which either is missing. False: this file system cannot. */
export function exchangeNames(one: string, other: string): boolean {
  const call = renameat2();
  if (call === null) return false;
  if ((call(AT_FDCWD, asC(one), AT_FDCWD, asC(other), RENAME_EXCHANGE) as number) === 0) return true;
  const code = errorName(koffi.errno());
  if (UNSUPPORTED.has(code)) return false;
  throw Object.assign(new Error(`${code}: renameat2 ${one} ${other}`), { code, syscall: 'renameat2' });
}

/** Makes an empty file share all blocks of another until either is written to. False: this file system cannot. */
export function cloneFile(fromFd: number, toFd: number): boolean {
  if ((ioctl()(toFd, FICLONE, 'int', fromFd) as number) === 0) return true;
  const code = errorName(koffi.errno());
  if (UNSUPPORTED.has(code)) return false;
  throw Object.assign(new Error(`${code}: clone`), { code, syscall: 'ioctl' });
}

function asC(path: string): Buffer {
  return Buffer.concat([bytesFromText(path), Buffer.alloc(1)]);
}

interface InThread {
  readonly async: (...args: [...number[], (error: unknown, result: number) => void]) => void;
}

function inBackground(call: InThread, ...args: number[]): Promise<number> {
  return new Promise((resolve, reject) => {
    call.async(...args, (error, result) => (error ? reject(error) : resolve(result)));
  });
}
