/** Copying a file for a caller: the copy is there whole, or not at all. Which file, and why, is the caller's business. */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chmod, copyFile, link, rename, rm, stat, utimes } from 'node:fs/promises';
import type { CopyManner, CopyResult } from '../dialects/program.ts';
import { pathBytes } from './files.ts';

type CopyFailure = Extract<CopyResult, { ok: false }>;

/** Both paths are absolute. */
export async function copyOneFile(from: string, to: string, manner: CopyManner): Promise<CopyResult> {
  try {
    const source = await stat(pathBytes(from));
    if (source.isDirectory()) return failed('source', 'directory');
    if (!source.isFile()) return failed('source', 'unusable');
    await access(pathBytes(from), constants.R_OK);
  } catch (error) {
    return failed('source', errorOf(error));
  }
  if (to.endsWith('/') || (await isDirectory(to))) return failed('target', 'directory');
  const unfinished = `${to}.${randomBytes(6).toString('hex')}`;
  try {
    await copyInto(from, unfinished, manner);
    // A link is made only where nothing is, without a moment between looking and doing.
    await (manner.replace ? rename : link)(pathBytes(unfinished), pathBytes(to));
    return { ok: true };
  } catch (error) {
    return failed('target', errorOf(error));
  } finally {
    await rm(pathBytes(unfinished), { force: true });
  }
}

async function copyInto(from: string, to: string, { keepTimes }: CopyManner): Promise<void> {
  await copyFile(pathBytes(from), pathBytes(to), constants.COPYFILE_EXCL);
  const { mode, atime, mtime } = await stat(pathBytes(from));
  // The yard's own umask is narrower than the caller's.
  await chmod(pathBytes(to), mode & 0o777);
  if (keepTimes) await utimes(pathBytes(to), atime, mtime);
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(pathBytes(path))).isDirectory();
  } catch {
    return false;
  }
}

function failed(of: CopyFailure['of'], error: CopyFailure['error']): CopyFailure {
  return { ok: false, of, error };
}

function errorOf(error: unknown): CopyFailure['error'] {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'missing';
    case 'EACCES':
    case 'EPERM':
      return 'denied';
    case 'EISDIR':
      return 'directory';
    case 'EEXIST':
      return 'exists';
    default:
      return 'unusable';
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
