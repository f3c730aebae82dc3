import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newJob } from '../../model/job.ts';
import { NOTHING_KEPT } from '../../model/keeping.ts';
import { PLAIN_SPEC } from '../../model/plain.ts';
import { createCodeStore } from './code-store.ts';
import { encodeTree } from './tree.ts';

let home: string;
let work: string;
let log: string[];
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'trainyard-code-')));
  work = join(home, 'project');
  mkdirSync(work);
  log = [];
});
afterEach(() => rmSync(home, { recursive: true }));

function git(...words: string[]): void {
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', ['-C', work, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { env });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(work, path)), { recursive: true });
  writeFileSync(join(work, path), text);
}

const read = (path: string) => readFileSync(path, 'utf8');

/** A project with committed, changed, new, deleted and ignored files. */
function project(): void {
  git('init', '-q');
  write('train.py', 'committed');
  write('lib/model.py', 'model');
  write('gone.py', 'will be deleted');
  write('.gitignore', 'data/\n*.log\n');
  write('run.sh', '#!/bin/sh\n');
  chmodSync(join(work, 'run.sh'), 0o755);
  symlinkSync('train.py', join(work, 'main.py'));
  git('add', '-A');
  git('commit', '-qm', 'all');
  write('train.py', 'changed, not committed');
  write('new file\n.py', 'new');
  rmSync(join(work, 'gone.py'));
  write('data/digits.csv', 'data');
}

const blobs = new Map<string, Uint8Array>();
const store = () =>
  createCodeStore(
    join(home, 'code'),
    (hash) => blobs.get(hash) ?? null,
    (line) => log.push(line),
  );

async function submit(id: number, workDir = work) {
  const taken = await store().take(workDir);
  if (!taken.ok) throw new Error(taken.refusal.message);
  const tree = `tree-${id}`;
  blobs.set(tree, encodeTree(taken.tree));
  const keeping = { ...NOTHING_KEPT, snapshot: { tree, root: taken.root, below: taken.below } };
  return newJob(id, { ...PLAIN_SPEC, workDir, keeping }, 'pending', 0);
}

test('a job sees the code as it was when it was submitted, changes and new files included', async () => {
  project();
  const job = await submit(1);
  write('train.py', 'edited while it waited');
  write('later.py', 'not there then');
  const place = await store().workDir(job);
  expect(read(join(place, 'train.py'))).toBe('changed, not committed');
  expect(read(join(place, 'new file\n.py'))).toBe('new');
  expect(read(join(place, 'main.py'))).toBe('changed, not committed');
  expect(lstatSync(join(place, 'run.sh')).mode & 0o100).toBe(0o100);
  expect(existsSync(join(place, 'later.py'))).toBe(false);
  expect(existsSync(join(place, 'gone.py'))).toBe(false);
});

test('what git ignores is where it really is', async () => {
  project();
  const place = await store().workDir(await submit(1));
  writeFileSync(join(place, 'data', 'made'), 'by the job');
  expect(read(join(work, 'data', 'made'))).toBe('by the job');
});

test('a job that was submitted further down runs further down', async () => {
  project();
  const place = await store().workDir(await submit(1, join(work, 'lib')));
  expect(read(join(place, 'model.py'))).toBe('model');
  expect(read(join(place, '..', 'train.py'))).toBe('changed, not committed');
});

test('contents are kept once for all jobs, and jobs do not see what others change', async () => {
  project();
  const [one, two] = [await submit(1), await submit(2)];
  const objects = () => readdirSync(join(home, 'code', 'objects'), { recursive: true }).length;
  const before = objects();
  writeFileSync(join(await store().workDir(one), 'train.py'), 'changed by the first');
  expect(read(join(await store().workDir(two), 'train.py'))).toBe('changed, not committed');
  await submit(3);
  expect(objects()).toBe(before);
});

test('a second run finds what the first one left', async () => {
  project();
  const job = await submit(1);
  writeFileSync(join(await store().workDir(job), 'half-done'), '1');
  expect(read(join(await store().workDir(job), 'half-done'))).toBe('1');
});

test('in the end what it made is brought back, beside what somebody else changed meanwhile', async () => {
  project();
  const job = await submit(7);
  const place = await store().workDir(job);
  mkdirSync(join(place, 'results'));
  writeFileSync(join(place, 'results', 'loss.csv'), '0.1');
  writeFileSync(join(place, 'lib', 'model.py'), 'changed by the job');
  writeFileSync(join(place, 'train.py'), 'changed by the job');
  mkdirSync(join(place, '__pycache__'));
  writeFileSync(join(place, '__pycache__', 'train.pyc'), '');
  write('train.py', 'edited by its author');
  await store().end(job);
  expect(read(join(work, 'results', 'loss.csv'))).toBe('0.1');
  expect(read(join(work, 'lib', 'model.py'))).toBe('changed by the job');
  expect(read(join(work, 'train.py'))).toBe('edited by its author');
  expect(read(join(work, 'train.py.job-7'))).toBe('changed by the job');
  expect(existsSync(join(work, '__pycache__'))).toBe(false);
  expect(existsSync(place)).toBe(false);
  expect(await store().jobs()).toEqual([]);
  await store().end(job);
});

test('where nothing was made, nothing is brought', async () => {
  project();
  const job = await submit(1);
  await store().workDir(job);
  const before = readdirSync(work, { recursive: true }).length;
  await store().end(job);
  expect(readdirSync(work, { recursive: true }).length).toBe(before);
});

test('a check-out that was cut off is begun again', async () => {
  project();
  const job = await submit(1);
  mkdirSync(join(home, 'code', 'jobs', '1.draft', 'lib'), { recursive: true });
  const place = await store().workDir(job);
  expect(read(join(place, 'lib', 'model.py'))).toBe('model');
});

test('submodules are part of the code', async () => {
  project();
  mkdirSync(join(work, 'sub'));
  const env = { PATH: process.env.PATH, HOME: home };
  execFileSync('git', ['init', '-q', join(work, 'sub')], { env });
  write('sub/inner.py', 'inner');
  const place = await store().workDir(await submit(1));
  expect(read(join(place, 'sub', 'inner.py'))).toBe('inner');
});

test('contents that nobody needs are swept, and those of others stay', async () => {
  project();
  const job = await submit(1);
  await store().sweep([{ tree: 'tree-1', root: work, below: '' }], Date.now() + 10_000);
  expect(read(join(await store().workDir(job), 'train.py'))).toBe('changed, not committed');
  await store().end(job);
  await store().sweep([], Date.now() + 10_000);
  await expect(store().workDir(job)).rejects.toThrow('cannot be put in place');
});

test('outside of a work tree it is refused with what to do', async () => {
  const taken = await store().take(home);
  expect(taken).toMatchObject({ ok: false, refusal: { code: 'badRequest' } });
  if (!taken.ok) expect(taken.refusal.hint).toContain('git init');
});
