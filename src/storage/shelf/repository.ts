/**
 * A checkpoint repository as it lies on disk: the directory that somebody named, and `.trainyard` in it, both open by
 * descriptor. Others may share the directory; what is in `.trainyard` decides what is moved and removed, so only the
 * user of the yard may ever have written there.
 */

import type { Stats } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { printable } from '../../model/bytes.ts';
import { Fault } from '../../model/refusal.ts';
import { type DirectoryHandle, whyNotOwn } from '../../platform/directory.ts';
import { errorWords, isErrno } from '../../platform/files.ts';
import {
  enterDirectory,
  openNamedDirectory,
  statDirectory,
  UntrustedPath,
} from '../../platform/named-directory.ts';
import { ownerOfNewFiles } from '../../platform/owner-here.ts';
import { onDisk } from '../../platform/path-bytes.ts';
import type { Root } from './confined-calls.ts';

export const HIDDEN = '.trainyard';

export interface Repository {
  /** As it was named. */
  readonly path: string;
  readonly directory: DirectoryHandle;
  readonly hidden: DirectoryHandle;
  readonly roots: readonly Root[];
  /** Whether both are still what their names lead to: somebody may have moved or removed them. */
  isStillThere(): Promise<boolean>;
  /** Safe to repeat. */
  close(): void;
}

/** Makes what is missing, with these permissions for the directory; `.trainyard` is the user's alone. Throws a Fault. */
export async function openRepository(path: string, makeMode: number): Promise<Repository> {
  const directory = await openNamed(path, makeMode);
  let hidden: DirectoryHandle;
  try {
    hidden = await openHidden(directory);
  } catch (error) {
    directory.close();
    throw error;
  }
  const roots = [
    { path, handle: directory },
    { path: `${path}/${HIDDEN}`, handle: hidden },
  ];
  return {
    path,
    directory,
    hidden,
    roots,
    isStillThere: async () => (await isNamed(path, directory)) && (await isEntry(directory, hidden)),
    close() {
      hidden.close();
      directory.close();
    },
  };
}

async function openNamed(path: string, makeMode: number): Promise<DirectoryHandle> {
  const where = printable(path);
  try {
    return await openNamedDirectory(path, makeMode);
  } catch (error) {
    if (error instanceof UntrustedPath) throw new Fault(error.message, false);
    if (isErrno(error, 'ENOTDIR') && (await isFile(path)))
      throw new Fault(`${where} is a file: checkpoints need a directory, so name another or move it`, false);
    throw new Fault(`cannot make ${where}: ${errorWords(error)}`, isPassing(error));
  }
}

async function isFile(path: string): Promise<boolean> {
  return lstat(onDisk(path)).then(
    (found) => !found.isDirectory(),
    () => false,
  );
}

async function openHidden(directory: DirectoryHandle): Promise<DirectoryHandle> {
  const where = printable(directory.path);
  let hidden: DirectoryHandle;
  try {
    await mkdir(directory.entry(HIDDEN), 0o700).catch(fineIfThere);
    hidden = await enterDirectory(directory, HIDDEN);
  } catch (error) {
    if (isErrno(error, 'ENOTDIR') || isErrno(error, 'ELOOP')) throw untrusted(where, 'it is not a directory');
    throw new Fault(`cannot write in ${where}: ${errorWords(error)}`, isPassing(error));
  }
  try {
    const found = await statDirectory(hidden);
    const why = whyNotOwn(found, process.geteuid?.() ?? 0);
    if (why === null || whyNotOwn(found, await ownerOfNewFiles(directory)) === null) return hidden;
    throw untrusted(where, why);
  } catch (error) {
    hidden.close();
    throw error;
  }
}

function untrusted(where: string, why: string): Fault {
  return new Fault(
    `${HIDDEN} in ${where} cannot be trusted: ${why}; others may share ${where}, but ${HIDDEN} in it, which says what is ` +
      'kept there, must belong to you, and only you may write to it: move it away, or name another directory',
    false,
  );
}

async function isNamed(path: string, directory: DirectoryHandle): Promise<boolean> {
  try {
    const now = await openNamedDirectory(path);
    try {
      return isSame(await statDirectory(now), await statDirectory(directory));
    } finally {
      now.close();
    }
  } catch (error) {
    if (isGone(error) || error instanceof UntrustedPath) return false;
    throw error;
  }
}

async function isEntry(directory: DirectoryHandle, hidden: DirectoryHandle): Promise<boolean> {
  try {
    return isSame(await lstat(directory.entry(HIDDEN)), await statDirectory(hidden));
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].some((code) => isErrno(error, code));
}

function fineIfThere(error: unknown): void {
  if (!isErrno(error, 'EEXIST')) throw error;
}

export function isPassing(error: unknown): boolean {
  return !['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].some((code) =>
    isErrno(error, code),
  );
}
