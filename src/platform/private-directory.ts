/**
 * A directory of this user alone in a place where everybody can make one, such as /tmp or a scratch disk. It is verified
 * by descriptor at every use, and made again when it is gone. Where somebody else has taken its name, it gets another
 * one that nobody can guess, which is remembered. It knows nothing of what is kept in it.
 */

import { randomBytes } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { printable } from '../model/bytes.ts';
import {
  claimOwnDirectory,
  type DirectoryHandle,
  isPlainName,
  makeOwnedDirectoryIn,
  openOwnDirectory,
  openOwnedDirectoryIn,
  UntrustedDirectory,
} from './directory.ts';
import { errorWords, isErrno } from './files.ts';
import { removeTreeIn } from './remove-tree.ts';

export interface PrivateDirectory {
  /** Makes it if there is none. The caller closes it. Throws when its place cannot hold one. */
  open(): DirectoryHandle;
  /** Where it is. It is made and verified as by `open`, so that the path may be told to others. */
  path(): string;
  /** Opens what is there. Null: nothing, or nothing of this user's. */
  openIfThere(): DirectoryHandle | null;
  /** Where a path leads below this directory; null: it leads elsewhere. Names that it had before count too. */
  find(path: string): PathBelow | null;
  /** Removes it if nothing but empty directories is in it. */
  leave(): Promise<void>;
}

export interface PathBelow {
  readonly root: string;
  /** One plain name at least. */
  readonly names: readonly string[];
}

/** Which names were taken instead of the first choice, by the path of that. */
export interface NameMemory {
  /** The one in use first. */
  recall(path: string): readonly string[];
  /** Throws when it cannot be remembered. */
  remember(path: string, name: string): void;
}

export interface PrivateDirectoryPlace {
  readonly parent: string;
  /** The first choice. */
  readonly name: string;
  readonly memory: NameMemory;
  readonly log: (line: string) => void;
}

/** For places where nobody else can make anything. */
export const NO_MEMORY: NameMemory = {
  recall: () => [],
  remember: () => {
    throw new Error('no other name can be remembered');
  },
};

export function privateDirectory({ parent, name, memory, log }: PrivateDirectoryPlace): PrivateDirectory {
  const rootOf = (each: string) => `${parent}/${each}`;
  const otherNames = () => memory.recall(rootOf(name));
  const currentName = () => otherNames()[0] ?? name;

  function open(): DirectoryHandle {
    const root = rootOf(currentName());
    const claimed = claim(root);
    return 'fd' in claimed ? claimed : openAnother(root, claimed.why);
  }

  /** The name is remembered first: a directory that nobody remembers would never be removed. */
  function openAnother(taken: string, why: string): DirectoryHandle {
    const other = `${name}-${randomBytes(8).toString('hex')}`;
    log(`${printable(taken)} cannot be used: ${why}; ${printable(rootOf(other))} is used instead`);
    memory.remember(rootOf(name), other);
    return claimOwnDirectory(rootOf(other));
  }

  function openIfThere(): DirectoryHandle | null {
    try {
      return openOwnDirectory(rootOf(currentName()));
    } catch {
      return null;
    }
  }

  return {
    open,
    path() {
      const directory = open();
      directory.close();
      return directory.path;
    },
    openIfThere,
    find(path) {
      for (const each of [...otherNames(), name]) {
        const names = namesBelow(rootOf(each), path);
        if (names !== null) return { root: rootOf(each), names };
      }
      return null;
    },
    async leave() {
      const directory = openIfThere();
      if (directory === null) return;
      try {
        await removeEmptyIn(directory);
        rmdirSync(directory.path);
      } catch {
        // Somebody has something there.
      } finally {
        directory.close();
      }
    },
  };
}

/** Opens the directory that a path leads to. Null: it is not there. Throws when it, or one above it, is not this user's. */
export function openBelow({ root, names }: PathBelow): DirectoryHandle | null {
  try {
    return openEach(openOwnDirectory(root), names);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** The same from a directory that is open, and is closed by this. */
export function openEach(root: DirectoryHandle, names: readonly string[]): DirectoryHandle | null {
  try {
    return walk(root, names, openOwnedDirectoryIn);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

/** The same for the directory that it is in. */
export function openAbove({ root, names }: PathBelow): DirectoryHandle | null {
  return openBelow({ root, names: names.slice(0, -1) });
}

/** Makes the directory, and those above it up to the root. The caller closes it. Throws when one is not this user's. */
export function makeBelow({ root, names }: PathBelow): DirectoryHandle {
  return walk(claimOwnDirectory(root), names, makeOwnedDirectoryIn);
}

/** Removes what a path leads to, whatever it is. Safe to repeat. Rejects when something above it is not this user's. */
export async function removeBelow(below: PathBelow): Promise<void> {
  const parent = openAbove(below);
  if (parent === null) return;
  try {
    await removeTreeIn(parent, below.names.at(-1) as string);
  } finally {
    parent.close();
  }
}

/** Removes the directories above it that are empty, the root as well. */
export function removeEmptyAbove({ root, names }: PathBelow): void {
  try {
    for (let count = names.length - 1; count > 0; count--) {
      const parent = openBelow({ root, names: names.slice(0, count - 1) });
      if (parent === null) return;
      try {
        rmdirSync(parent.entry(names[count - 1] as string));
      } finally {
        parent.close();
      }
    }
    rmdirSync(root);
  } catch {
    // Somebody has something there.
  }
}

function walk(
  root: DirectoryHandle,
  names: readonly string[],
  next: (parent: DirectoryHandle, name: string) => DirectoryHandle,
): DirectoryHandle {
  let directory = root;
  for (const name of names) {
    const parent = directory;
    try {
      directory = next(parent, name);
    } finally {
      parent.close();
    }
  }
  return directory;
}

function claim(root: string): DirectoryHandle | { readonly why: string } {
  try {
    return claimOwnDirectory(root);
  } catch (error) {
    if (!isTaken(error)) throw error;
    return { why: wordsOf(error) };
  }
}

/** Whether the name leads to something that is not this user's directory; otherwise another name would not help. */
function isTaken(error: unknown): boolean {
  if (error instanceof UntrustedDirectory) return true;
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  return syscall === 'open' && ['ENOTDIR', 'ELOOP', 'EACCES', 'ENOENT'].includes(code);
}

function wordsOf(error: unknown): string {
  if (error instanceof UntrustedDirectory) return error.why;
  if (isErrno(error, 'EACCES')) return 'another user has it';
  return isErrno(error, 'ENOTDIR') ? 'it is not a directory' : errorWords(error);
}

/** Null: it does not lead below the root, or not by plain names. */
function namesBelow(root: string, path: string): readonly string[] | null {
  if (!path.startsWith(`${root}/`)) return null;
  const names = path.slice(root.length + 1).split('/');
  return names.every(isPlainName) ? names : null;
}

async function removeEmptyIn(directory: DirectoryHandle): Promise<void> {
  for (const entry of await readdir(`/proc/self/fd/${directory.fd}`, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const below = openOwnedDirectoryIn(directory, entry.name);
    try {
      await removeEmptyIn(below);
      rmdirSync(directory.entry(entry.name));
    } catch {
      // Something is in it.
    } finally {
      below.close();
    }
  }
}
