/**
 * A listening unix socket as a plain file descriptor, which Node has no words for: with one of its own, a server can stop
 * taking connections for a while, and those who come meanwhile wait in the kernel's queue. Knows nothing of who serves.
 */

import koffi from 'koffi';
import { closeEnd, errorName, lazily, libc } from './libc.ts';

const AF_UNIX = 1;
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const F_DUPFD_CLOEXEC = 1030;
const PATH_BYTES = 108;

const socket = lazily(() => libc().func('int socket(int domain, int type, int protocol)'));
const bind = lazily(() => libc().func('int bind(int fd, void *address, uint length)'));
const listen = lazily(() => libc().func('int listen(int fd, int backlog)'));
const fcntl = lazily(() => libc().func('int fcntl(int fd, int command, int argument)'));

/** The path must be free. Throws when it cannot be had. */
export function listenAt(path: string, backlog: number): number {
  const fd = socket()(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) as number;
  if (fd < 0) throw systemError(`a socket for ${path}`);
  const address = addressOf(path);
  if ((bind()(fd, address, address.length) as number) === 0 && (listen()(fd, backlog) as number) === 0)
    return fd;
  const error = systemError(path);
  closeEnd(fd);
  throw error;
}

/** Another descriptor of the same open file. Throws when there is none left. */
export function duplicate(fd: number): number {
  const copy = fcntl()(fd, F_DUPFD_CLOEXEC, 0) as number;
  if (copy < 0) throw systemError('a descriptor');
  return copy;
}

function addressOf(path: string): Buffer {
  const bytes = Buffer.from(path);
  if (bytes.length >= PATH_BYTES) throw new Error(`${path} is too long for a socket`);
  const address = Buffer.alloc(2 + bytes.length + 1);
  address.writeUInt16LE(AF_UNIX);
  bytes.copy(address, 2);
  return address;
}

function systemError(what: string): NodeJS.ErrnoException {
  const code = errorName(koffi.errno());
  return Object.assign(new Error(`${what}: ${code}`), { code });
}
