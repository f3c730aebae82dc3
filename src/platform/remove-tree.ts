/** A directory and all that is in it, gone: whatever permissions were left in there, and without following links. */

import { chmodSync, lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { chmod, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from './files.ts';

/** So many plain files are removed at once; more are removed without keeping everybody waiting. */
const FEW = 16;

/** Safe to repeat, and when there is no such directory. */
export async function removeTree(path: string): Promise<void> {
  // Most have nothing in them. A disk that is busy can make even that last.
  if (await wasEmpty(path)) return;
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) return unlinkSync(path);
  if (removedAtOnce(path)) return;
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  } catch (error) {
    if (!isErrno(error, 'EACCES') && !isErrno(error, 'EPERM')) throw error;
    await openUp(path);
    await rm(path, { recursive: true, force: true, maxRetries: 2 });
  }
}

async function wasEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch {
    return false;
  }
}

function removedAtOnce(path: string): boolean {
  try {
    chmodSync(path, 0o700);
    const entries = readdirSync(path, { withFileTypes: true });
    if (entries.length > FEW || entries.some((entry) => entry.isDirectory())) return false;
    for (const { name } of entries) unlinkSync(join(path, name));
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Nothing can be removed from a directory that is read-only. */
async function openUp(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openUp(join(path, entry.name));
}
