/**
 * Gives a job the code that it was submitted with: a directory of its own with copies of the files, in which what git
 * ignores (data, results, environments) is a link to where it really is. It stays as long as the job, over all its runs.
 */

import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, rename, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Fault } from '../../model/refusal.ts';
import { errorWords, isErrno } from '../../platform/files.ts';
import { removeTree } from '../../platform/remove-tree.ts';
import { statIfThere } from '../log-files.ts';
import type { CodeObjects } from './objects.ts';
import type { CodeTree, TreeEntry } from './tree.ts';

const AT_ONCE = 16;
/** All files are of one age, so that nothing is newer than what it was made from; and what a run changes shows. */
export const CHECKED_OUT_SECONDS = 946_684_800;

/** Whole or not at all: a directory that is there was finished. */
export async function checkOut(
  tree: CodeTree,
  root: string,
  directory: string,
  objects: CodeObjects,
): Promise<void> {
  if ((await statIfThere(directory)) !== null) return;
  const draft = `${directory}.draft`;
  try {
    await removeTree(draft);
    await mkdir(draft, { recursive: true, mode: 0o700 });
    const folders = new Set(tree.entries.map(({ path }) => dirname(path)));
    for (const folder of folders) await mkdir(join(draft, folder), { recursive: true, mode: 0o700 });
    const left = [...tree.entries];
    const worker = async () => {
      for (let entry = left.pop(); entry !== undefined; entry = left.pop()) await put(entry, draft, objects);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    // Programs that note their commit ask git for it.
    for (const path of ['.git', ...tree.ignored]) await linkTo(join(root, path), join(draft, path));
    await rename(draft, directory);
  } catch (error) {
    await removeTree(draft).catch(() => {});
    if (isErrno(error, 'EEXIST') || isErrno(error, 'ENOTEMPTY')) return;
    throw new Fault(`the code it was submitted with cannot be put in place: ${errorWords(error)}`, true, {
      cause: error,
    });
  }
}

async function put(entry: TreeEntry, directory: string, objects: CodeObjects): Promise<void> {
  const path = join(directory, entry.path);
  if (entry.kind === 'link') return symlink(entry.target, path);
  await copyFile(objects.path(entry.hash), path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  await chmod(path, entry.isExecutable ? 0o700 : 0o600);
  await utimes(path, CHECKED_OUT_SECONDS, CHECKED_OUT_SECONDS);
}

/** What is gone meanwhile, or in a folder that has no code, need not be there. */
async function linkTo(target: string, path: string): Promise<void> {
  try {
    await symlink(target, path);
  } catch (error) {
    if (!isErrno(error, 'ENOENT') && !isErrno(error, 'EEXIST')) throw error;
  }
}
