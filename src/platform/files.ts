/** Files, where the plain calls are not enough: written whole or not at all, read if they are there. */

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** After this the file has the new content, also if the power fails; before it, the old one. */
export function writeFileAtomic(path: string, content: string | Uint8Array, mode = 0o600): void {
  const draft = `${path}.${process.pid}.draft`;
  const fd = openSync(draft, 'w', mode);
  try {
    try {
      writeFileSync(fd, content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } catch (error) {
    removeIfThere(draft);
    throw error;
  }
  syncDirectory(dirname(path));
}

/** After this what was written to the file survives the loss of power. */
export function syncFile(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

let drafts = 0;

/** The same, without keeping everybody waiting for the disk. */
export async function writeFileSafely(path: string, content: string): Promise<void> {
  const draft = `${path}.${process.pid}.${++drafts}.draft`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    removeIfThere(draft);
    throw error;
  }
  await syncDirectoryLater(dirname(path));
}

/** Null when there is no such file. */
export function readFileIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    throw error;
  }
}

/** What a small file begins with, in as few calls as possible. Throws when it is not there. */
export function readHead(path: string): string {
  const fd = openSync(path, 'r');
  try {
    return headBytes.toString('utf8', 0, readSync(fd, headBytes, 0, headBytes.length, 0));
  } finally {
    closeSync(fd);
  }
}

const headBytes = Buffer.alloc(4096);

export function ensureDirectory(path: string, mode = 0o700): void {
  mkdirSync(path, { recursive: true, mode });
}

/** Whether there was one to remove. */
export function removeIfThere(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return false;
    throw error;
  }
}

export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

/** Neither this process nor perhaps anybody can open another file now: that passes. Also where it is only the cause. */
export function isOutOfFiles(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return isErrno(error, 'EMFILE') || isErrno(error, 'ENFILE') || isOutOfFiles(error.cause);
}

/** What went wrong with a file, in words a person can use. */
export function errorWords(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === undefined) return error instanceof Error ? error.message : String(error);
  return WORDS[code] ?? code;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'it is a directory',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files on this machine',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many symbolic links',
  ETXTBSY: 'the file is being executed',
};

/** Some file systems refuse to sync a directory; then the rename is as durable as they make it. */
export function syncDirectory(path: string): void {
  try {
    const fd = openSync(path, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    return;
  }
}

async function syncDirectoryLater(path: string): Promise<void> {
  try {
    const directory = await open(path, 'r');
    await directory.sync().finally(() => directory.close());
  } catch {
    return;
  }
}
