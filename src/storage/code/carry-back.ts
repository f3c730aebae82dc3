/**
 * What a run made in its own copy of the code goes to where it would be without one: new files, and changes to files
 * that nobody has touched meanwhile. Where somebody has, both are kept.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, rename, symlink, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isErrno } from '../../platform/files.ts';
import { CHECKED_OUT_SECONDS } from './check-out.ts';
import type { CodeTree, TreeEntry } from './tree.ts';

/** What Python and others make on the way, and make again. */
const MADE_AGAIN = new Set(['__pycache__', '.git', '.pytest_cache', '.mypy_cache', '.ipynb_checkpoints']);

/** Gives the paths that were brought, as they are called now. `suffix`: added where a name is taken. */
export async function carryBack(
  tree: CodeTree,
  root: string,
  directory: string,
  suffix: string,
): Promise<readonly string[]> {
  const known = new Map(tree.entries.map((entry) => [entry.path, entry]));
  const ignored = new Set(tree.ignored);
  const brought: string[] = [];
  for (const path of await pathsBelow(directory)) {
    if (ignored.has(path)) continue;
    const to = await bring(join(directory, path), join(root, path), known.get(path) ?? null, suffix);
    if (to !== null) brought.push(to);
  }
  return brought;
}

async function pathsBelow(directory: string, below = ''): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(join(directory, below), { withFileTypes: true })) {
    if (MADE_AGAIN.has(entry.name)) continue;
    const path = below + entry.name;
    if (entry.isDirectory()) paths.push(...(await pathsBelow(directory, `${path}/`)));
    else if (entry.isFile() || entry.isSymbolicLink()) paths.push(path);
  }
  return paths;
}

async function bring(
  from: string,
  to: string,
  before: TreeEntry | null,
  suffix: string,
): Promise<string | null> {
  if (!(await isChanged(from, before))) return null;
  const there = await contentOf(to);
  if (there === (await contentOf(from))) return null;
  const isUntouched = there === null || (before !== null && there === contentIn(before));
  const target = isUntouched ? to : `${to}${suffix}`;
  await mkdir(dirname(target), { recursive: true });
  await copyWhole(from, target);
  return target;
}

async function isChanged(path: string, before: TreeEntry | null): Promise<boolean> {
  if (before === null) return true;
  const stats = await lstat(path);
  // Nobody sets a file back to this time by accident.
  if (stats.isFile() && before.kind === 'file' && stats.mtimeMs === CHECKED_OUT_SECONDS * 1000) return false;
  return (await contentOf(path)) !== contentIn(before);
}

function contentIn(entry: TreeEntry): string {
  return entry.kind === 'link' ? `link ${entry.target}` : entry.hash;
}

/** A word for what is there, the same for the same content; null: nothing is. */
async function contentOf(path: string): Promise<string | null> {
  try {
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return `link ${await readlink(path)}`;
    if (!stats.isFile()) return 'something else';
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    throw error;
  }
}

async function copyWhole(from: string, to: string): Promise<void> {
  const stats = await lstat(from);
  const draft = join(dirname(to), `.trainyard-${process.pid}.draft`);
  if (stats.isSymbolicLink()) await symlink(await readlink(from), draft);
  else {
    await copyFile(from, draft);
    await utimes(draft, stats.atime, stats.mtime);
  }
  await rename(draft, to);
}
