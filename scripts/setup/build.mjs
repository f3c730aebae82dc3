/**
 * dist/ against src/. What counts is the content of the sources, not their dates: git gives files new dates
 * when branches change, and old ones never. The last thing a build does is to record what it was made from.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { inRoot, root } from './paths.mjs';
import { runVisibly } from './progress.mjs';

const record = inRoot('dist', '.built-from');

export function buildIsCurrent() {
  if (!existsSync(record) || readFileSync(record, 'utf8') !== fingerprint()) return false;
  return outputs().every((path) => existsSync(path));
}

/** Null, or what went wrong. */
export async function rebuild() {
  const before = fingerprint();
  rmSync(record, { force: true });
  const compiler = inRoot('node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--incremental', 'false', '--noEmitOnError'];
  const { code, output } = await runVisibly('Building', process.execPath, args, root);
  if (code !== 0) return `${output.trimEnd()}\n\nThe build failed: the sources have the errors above.`;
  removeStale();
  compileClient();
  mkdirSync(dirname(record), { recursive: true });
  writeFileSync(record, before);
  return null;
}

/** The quickest client, where there is a compiler; the others do without it. Linked whole, it starts sooner. */
function compileClient() {
  const target = inRoot('dist', 'bin', 'trainyard');
  const draft = `${target}.${process.pid}.draft`;
  const compile = (...more) =>
    spawnSync('cc', ['-std=c11', '-O2', ...more, '-o', draft, inRoot('libexec', 'command.c')], {
      stdio: 'ignore',
    });
  const compiled = compile('-static').status === 0 || compile().status === 0;
  if (compiled) renameSync(draft, target);
  else for (const path of [draft, target]) rmSync(path, { force: true });
}

function fingerprint() {
  const hash = createHash('sha256');
  const inputs = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'libexec/command.c'].map(
    (name) => inRoot(name),
  );
  for (const path of [...inputs, ...sources()]) {
    hash.update(`\0${relative(root, path)}\0`).update(readFileSync(path));
  }
  return `${hash.digest('hex')}\n`;
}

/** What tsconfig.build.json leaves out. */
const IS_FOR_TESTS = /(\.test|\/fake-[^/]*)\.ts$/;

function sources() {
  return filesIn(inRoot('src')).filter((path) => path.endsWith('.ts') && !IS_FOR_TESTS.test(path));
}

function outputs() {
  return sources().map((path) => join(inRoot('dist'), `${relative(inRoot('src'), path).slice(0, -3)}.js`));
}

/** A module whose source is gone must not be importable. */
function removeStale() {
  const kept = new Set(outputs().flatMap((path) => [path, `${path}.map`]));
  for (const path of filesIn(inRoot('dist'))) {
    if (/\.js(\.map)?$/.test(path) && !kept.has(path)) rmSync(path);
  }
}

function filesIn(directory) {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}
