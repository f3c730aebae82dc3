/**
 * Whether anybody has a file open for writing, as the kernel knows it: it gives a read lease only on a file that nobody
 * can write to, through a descriptor or a shared mapping. The lease is given back in the next call, since whoever opens
 * the file for writing meanwhile waits for that.
 */

import koffi from 'koffi';
import { errorName, lazily, libc } from './libc.ts';

const F_SETSIG = 10;
const F_SETLEASE = 1024;
const F_RDLCK = 0;
const F_UNLCK = 2;
const SIGURG = 23;

const fcntl = lazily(() => libc().func('int fcntl(int fd, int command, ...)'));

/** Whether anybody has it open for writing: null, nobody; a name as takeReadLease gives it. */
export function whyNoReadLease(fd: number): string | null {
  const why = takeReadLease(fd);
  if (why === null) giveBackLease(fd);
  return why;
}

/**
 * Null: it is ours. `EAGAIN`: somebody has the file open for writing, or the file system cannot promise anything; another
 * name: leases are not to be had, because the file is another user's or its file system has none.
 */
export function takeReadLease(fd: number): string | null {
  const call = fcntl();
  // Somebody who wants to write at this moment makes the kernel send a signal, and the usual one would end us.
  if ((call(fd, F_SETSIG, 'int', SIGURG) as number) !== 0) return errorName(koffi.errno());
  if ((call(fd, F_SETLEASE, 'int', F_RDLCK) as number) === 0) return null;
  const errno = koffi.errno();
  return errno === koffi.os.errno.EWOULDBLOCK ? 'EAGAIN' : errorName(errno);
}

export function giveBackLease(fd: number): void {
  fcntl()(fd, F_SETLEASE, 'int', F_UNLCK);
}
