/**
 * The file `socket` in a yard's directory: where the yard listens, and for which directory that was written. Every client
 * reads it (libexec/command.pl, libexec/command.c, python/trainyard/_pointer.py).
 *
 *   /path/of/the/unix/socket
 *   DEVICE INODE
 *
 * The second line is of the yard's directory, in decimal, as fstat shows it. A copy of the directory has another inode,
 * so a pointer that was copied along leads nowhere. A pointer without that line was written by an older version.
 */

export const POINTER_FILE = 'socket';
/** So much of the file is read. */
export const MAX_POINTER_BYTES = 4096;
/** The longest path that a unix socket can have. */
export const MAX_SOCKET_PATH_BYTES = 107;

export interface DirectoryIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

export function formatPointer(socketPath: string, directory: DirectoryIdentity): string {
  return `${socketPath}\n${identityLine(directory)}\n`;
}

/** Null: it is no path of a socket, or was written for another directory. */
export function socketPathFrom(pointer: string, directory: DirectoryIdentity): string | null {
  const [path = '', writtenFor = ''] = pointer.split('\n');
  if (!path.startsWith('/') || path.includes('\0') || byteLength(path) > MAX_SOCKET_PATH_BYTES) return null;
  return writtenFor === '' || writtenFor === identityLine(directory) ? path : null;
}

function identityLine({ dev, ino }: DirectoryIdentity): string {
  return `${dev} ${ino}`;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
