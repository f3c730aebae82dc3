/**
 * Directories that are opened once and then used through their descriptor. A path names whatever lies there at the
 * moment: where other users can write, they swap a directory for a link between two calls. An open descriptor stays
 * with the directory that was verified. Entries are reached as `/proc/self/fd/N/name`, so that all calls of Node work.
 */

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  type Stats,
} from 'node:fs';
import { printable } from '../model/bytes.ts';
import { isErrno } from './files.ts';
import { onDisk } from './path-bytes.ts';

export interface DirectoryHandle {
  readonly fd: number;
  /** Where it was found. For messages only: something else may be there by now. */
  readonly path: string;
  /** The path of an entry of this very directory. Throws when the name is more than one plain component. */
  entry(name: string): string;
  stat(): Stats;
  /** Safe to repeat. */
  close(): void;
}

/** What is there may be of somebody else's making. */
export class UntrustedDirectory extends Error {
  readonly why: string;

  constructor(path: string, why: string) {
    super(`${printable(path)} cannot be trusted: ${why}`);
    this.why = why;
  }
}

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Opens an entry without any right to it, only to say which one is meant. Node does not name it. */
export const O_PATH = 0o10000000;

/** Links in the path before its last component are followed; the last one is never. Throws as `open` does. */
export function openDirectory(path: string): DirectoryHandle {
  return handleOf(openSync(onDisk(path), OPEN_DIRECTORY), path);
}

/**
 * Opens a directory without any right to look into it, only to verify whose it is and to reach entries by name. Throws as
 * `open` does.
 */
export function reachDirectory(
  path: string,
  { followLink }: { readonly followLink: boolean },
): DirectoryHandle {
  const flags = O_PATH | constants.O_DIRECTORY | (followLink ? 0 : constants.O_NOFOLLOW);
  return handleOf(openSync(onDisk(path), flags), path);
}

/** Opens a directory that only this user can have filled. Throws, with the reason, when it is not such a one. */
export function openOwnDirectory(path: string): DirectoryHandle {
  return verified(openDirectory(path));
}

/** Makes the directory, or verifies that the one which is there is this user's; only this user may use it from then on. */
export function makeOwnDirectory(path: string): DirectoryHandle {
  makeIfMissing(path);
  const directory = openDirectory(path);
  try {
    if (directory.stat().uid === process.geteuid?.()) fchmodSync(directory.fd, 0o700);
  } catch (error) {
    directory.close();
    throw error;
  }
  return verified(directory);
}

/**
 * Makes the directory, or verifies that the one which is there is this user's and that nobody else could have filled it;
 * only this user may look into it from then on.
 */
export function claimOwnDirectory(path: string): DirectoryHandle {
  makeIfMissing(path);
  const directory = openOwnDirectory(path);
  if ((directory.stat().mode & 0o777) !== 0o700) fchmodSync(directory.fd, 0o700);
  return directory;
}

export function openDirectoryIn(parent: DirectoryHandle, name: string): DirectoryHandle {
  return handleOf(openSync(onDisk(parent.entry(name)), OPEN_DIRECTORY), `${parent.path}/${name}`);
}

export function openOwnDirectoryIn(parent: DirectoryHandle, name: string): DirectoryHandle {
  return verified(openDirectoryIn(parent, name));
}

/** For directories below one that nobody else may enter: their mode is their users' business. */
export function openOwnedDirectoryIn(parent: DirectoryHandle, name: string): DirectoryHandle {
  return verified(openDirectoryIn(parent, name), 0);
}

export function makeOwnedDirectoryIn(parent: DirectoryHandle, name: string): DirectoryHandle {
  makeIfMissing(parent.entry(name));
  return openOwnedDirectoryIn(parent, name);
}

export function makeOwnDirectoryIn(parent: DirectoryHandle, name: string): DirectoryHandle {
  makeIfMissing(parent.entry(name));
  return openOwnDirectoryIn(parent, name);
}

/** Lets its owner read, write and search a directory, whatever its mode was. */
export function permitOwnerIn(parent: DirectoryHandle, name: string): void {
  const fd = openSync(onDisk(parent.entry(name)), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    // A descriptor of this kind has no fchmod, but its own path has: that leads to the same directory.
    chmodSync(`/proc/self/fd/${fd}`, 0o700);
  } finally {
    closeSync(fd);
  }
}

/** Why a directory may have been filled by others than these users; null when it cannot. */
export function whyNotOwn(
  stats: Pick<Stats, 'uid' | 'mode' | 'isDirectory' | 'isSymbolicLink'>,
  ...uids: readonly number[]
): string | null {
  if (stats.isSymbolicLink()) return 'it is a symbolic link, which anybody could have put there';
  if (!stats.isDirectory()) return 'it is not a directory';
  if (!uids.includes(stats.uid)) return `it belongs to another user (${stats.uid})`;
  if ((stats.mode & 0o022) !== 0) return `other users may write to it (its mode is ${modeText(stats.mode)})`;
  return null;
}

/** Why others can put something else where a directory was made in this one; null when they cannot. */
export function whyNotSafeToMakeIn(stats: Pick<Stats, 'uid' | 'mode'>, uid: number): string | null {
  if (stats.uid !== uid && stats.uid !== 0) return `it belongs to another user (${stats.uid})`;
  if ((stats.mode & 0o022) === 0 || (stats.mode & 0o1000) !== 0) return null;
  return `other users may rename what is in it (its mode is ${modeText(stats.mode)}, without the sticky bit)`;
}

/** Whether a name is one component of a path that leads nowhere else. */
export function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name);
}

function makeIfMissing(path: string): void {
  try {
    mkdirSync(onDisk(path), 0o700);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
}

/** `modeBits`: those bits of its mode that count. */
function verified(directory: DirectoryHandle, modeBits = 0o7777): DirectoryHandle {
  const stats = directory.stat();
  stats.mode &= ~0o7777 | modeBits;
  const why = whyNotOwn(stats, process.geteuid?.() ?? 0);
  if (why === null) return directory;
  directory.close();
  throw new UntrustedDirectory(directory.path, why);
}

/** Takes over an open descriptor: it is closed with the handle. */
export function handleOf(fd: number, path: string): DirectoryHandle {
  let isOpen = true;
  return {
    fd,
    path,
    entry(name) {
      if (!isOpen) throw new Error(`the directory ${printable(path)} is closed`);
      if (!isPlainName(name)) throw new Error(`${JSON.stringify(name)} is no name of a file`);
      return `/proc/self/fd/${fd}/${name}`;
    },
    stat: () => fstatSync(fd),
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

function modeText(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
