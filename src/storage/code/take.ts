/**
 * Takes a snapshot of the code around a directory: what git knows of its work tree, with uncommitted changes and new
 * files, but without what it ignores. Submodules are part of it.
 */

import { execFile } from 'node:child_process';
import { lstat, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { printable } from '../../model/bytes.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { errorWords, isErrno } from '../../platform/files.ts';
import type { CodeObjects } from './objects.ts';
import type { CodeTree, TreeEntry } from './tree.ts';

export type Taken =
  | { readonly ok: true; readonly tree: CodeTree; readonly root: string; readonly below: string }
  | { readonly ok: false; readonly refusal: Refusal };

export const MOST_FILES = 50_000;
export const MOST_BYTES = 1024 ** 3;
const AT_ONCE = 16;

const NOT_GIT_HINT = 'snapshot works in a git work tree: run `git init` there, or leave it out';
const TOO_LARGE_HINT = 'put data and results into .gitignore: a job sees what is ignored where it is';

export async function takeCode(directory: string, objects: CodeObjects): Promise<Taken> {
  const top = await git(directory, ['rev-parse', '--show-toplevel', '--show-prefix']);
  if (!top.ok) return { ok: false, refusal: whyNot(directory, top.complaint) };
  // Neither can have a newline in it that git would not have complained about.
  const [root = '', prefix = ''] = top.text.split('\n');
  const below = prefix.replace(/\/$/, '');
  try {
    const [paths, ignored] = await listed(root);
    if (paths.length > MOST_FILES)
      return tooLarge(`${printable(root)} has ${paths.length} files, and ${MOST_FILES} are the most`);
    const entries = await keepAll(root, paths, objects);
    if (entries === null)
      return tooLarge(
        `the files of ${printable(root)} have more than ${MOST_BYTES / 1024 ** 2} MiB together`,
      );
    await objects.settle();
    return { ok: true, root, below, tree: { entries, ignored } };
  } catch (error) {
    const message = `the code in ${printable(root)} could not be kept: ${errorWords(error)}`;
    return { ok: false, refusal: refusal('unavailable', message) };
  }
}

function tooLarge(message: string): Taken {
  return { ok: false, refusal: refusal('tooLarge', message, TOO_LARGE_HINT) };
}

function whyNot(directory: string, complaint: string | null): Refusal {
  if (complaint === null)
    return refusal('unavailable', 'a snapshot needs git, and there is none', NOT_GIT_HINT);
  if (/not a git repository/i.test(complaint))
    return refusal('badRequest', `${printable(directory)} is in no git work tree`, NOT_GIT_HINT);
  return refusal('badRequest', `git cannot tell what is in ${printable(directory)}: ${complaint}`);
}

/** What is part of the code, and what is ignored; of submodules and nested work trees too. */
async function listed(root: string, below = ''): Promise<[string[], string[]]> {
  const here = join(root, below);
  const known = await names(here, ['--cached', '--others', '--exclude-standard']);
  const ignored = await names(here, ['--others', '--ignored', '--exclude-standard', '--directory']);
  const paths: string[] = [];
  const others = ignored.map((name) => below + name.replace(/\/$/, ''));
  for (const name of new Set(known)) {
    const path = below + name.replace(/\/$/, '');
    if (!(await isDirectory(join(root, path)))) {
      paths.push(path);
      continue;
    }
    const [morePaths, moreIgnored] = await listed(root, `${path}/`);
    paths.push(...morePaths);
    others.push(...moreIgnored);
  }
  return [paths, others];
}

async function names(directory: string, options: readonly string[]): Promise<readonly string[]> {
  const said = await git(directory, ['ls-files', '-z', ...options]);
  if (!said.ok) throw new Error(said.complaint ?? 'git is gone');
  return said.text.split('\0').filter((name) => name !== '');
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return false;
    throw error;
  }
}

/** Null when it is too much. */
async function keepAll(
  root: string,
  paths: readonly string[],
  objects: CodeObjects,
): Promise<readonly TreeEntry[] | null> {
  const entries: TreeEntry[] = [];
  const left = [...paths];
  let bytes = 0;
  async function worker(): Promise<void> {
    for (let path = left.pop(); path !== undefined && bytes <= MOST_BYTES; path = left.pop()) {
      const kept = await keepOne(root, path, objects);
      bytes += kept?.bytes ?? 0;
      if (kept !== null) entries.push(kept.entry);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return bytes > MOST_BYTES ? null : entries;
}

/** Null when it has been deleted, or is nothing that code is made of. */
async function keepOne(
  root: string,
  path: string,
  objects: CodeObjects,
): Promise<{ readonly entry: TreeEntry; readonly bytes: number } | null> {
  const full = join(root, path);
  try {
    const stats = await lstat(full);
    if (stats.isSymbolicLink())
      return { entry: { kind: 'link', path, target: await readlink(full) }, bytes: 0 };
    if (!stats.isFile()) return null;
    const hash = await objects.keep(full);
    const isExecutable = (stats.mode & 0o100) !== 0;
    return { entry: { kind: 'file', path, isExecutable, hash }, bytes: stats.size };
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
    throw error;
  }
}

type Said =
  | { readonly ok: true; readonly text: string }
  /** Null: there is no git. */
  | { readonly ok: false; readonly complaint: string | null };

function git(directory: string, words: readonly string[]): Promise<Said> {
  // Where the daemon was started from must not decide which work tree is meant.
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = { ...Object.fromEntries(environment), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' };
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-C', directory, ...words],
      { env, maxBuffer: 1 << 28, encoding: 'utf8' },
      (error, stdout, stderr) => {
        if (error === null) resolve({ ok: true, text: stdout });
        else if (isErrno(error, 'ENOENT')) resolve({ ok: false, complaint: null });
        else resolve({ ok: false, complaint: stderr.trim().split('\n')[0] ?? '' });
      },
    );
  });
}
