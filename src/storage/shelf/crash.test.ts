/** A shelf after whoever used it was killed at any of its calls, and after whoever repaired it was killed too. */

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scanDirectory } from '../scan.ts';
import { openShelf, type Shelf } from '../shelf.ts';
import { closeFilesUnder, crashAt } from './fake-crash.ts';
import { type Manners, USUAL_MANNERS } from './ground.ts';

let root: string;
beforeEach(() => {
  // A few thousand syncs: where there is memory to be had, they need no disk.
  const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  root = mkdtempSync(join(place, 'trainyard-crash-'));
});
afterEach(() => {
  closeFilesUnder(root);
  rmSync(root, { recursive: true });
});

type Tree = Readonly<Record<string, string>>;

interface Scenario {
  /** What the program has at first, put in this order; then what it has at the end. */
  readonly rounds: readonly Tree[];
  readonly keepCount?: number;
  /** A reader may find it in parts for a moment. */
  readonly isInParts?: boolean;
  /** A file of somebody else in a checkpoint, which follows it a moment later. */
  readonly stranger?: string;
  /** After the rounds before the last one. */
  readonly disturb?: (shelf: string) => void;
  /** The change that is interrupted; by default all units of the last round are put. */
  readonly act?: (shelf: Shelf) => Promise<unknown>;
  readonly check?: (shelf: string) => void;
}

/** Two blocks. */
const BIG = (4 << 20) + 5000;
const big = (...marks: number[]) => {
  const bytes = Buffer.alloc(BIG, 1);
  for (const [at, mark] of marks.entries()) bytes.fill(mark, at << 22, (at << 22) + 1000);
  return bytes.toString('latin1');
};

function write(directory: string, tree: Tree): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    if (content.startsWith('-> ')) symlinkSync(content.slice(3), join(directory, path));
    else writeFileSync(join(directory, path), content, 'latin1');
  }
}

function read(directory: string, inside = ''): Tree {
  const tree: Record<string, string> = {};
  for (const entry of readdirSync(join(directory, inside), { withFileTypes: true })) {
    const path = join(inside, entry.name);
    if (path === '.trainyard') continue;
    if (entry.isDirectory()) Object.assign(tree, read(directory, path));
    else if (entry.isSymbolicLink()) tree[path] = `-> ${readlinkSync(join(directory, path))}`;
    else tree[path] = readFileSync(join(directory, path), 'latin1');
  }
  return tree;
}

let clock = 1_700_000_000_000;
function open(directory: string, keepCount: number | null, manners: Manners): Promise<Shelf> {
  const owner = { yardId: 'yard', job: 1 };
  return openShelf({ directory, owner, keepCount, keepForMs: null, now: () => ++clock }, manners);
}

/** Newest last, as the names say. */
async function putAll(shelf: Shelf, from: string): Promise<void> {
  const units = await scanDirectory(from);
  const pointers = units.filter(({ kind }) => kind === 'pointer');
  for (const unit of [...units.filter(({ kind }) => kind !== 'pointer'), ...pointers])
    if (!shelf.isKept(unit)) expect(await shelf.put(unit, from, '1.1')).not.toBe('changed');
}

/** Whatever a name leads to is all of the one tree or all of the other. */
function expectWhole(now: Tree, before: Tree, after: Tree, stranger?: string): void {
  const tops = (tree: Tree) => new Set(Object.keys(tree).map((path) => path.split('/')[0] as string));
  const part = (tree: Tree, top: string) =>
    Object.fromEntries(
      Object.entries(tree).filter(
        ([path]) => path !== stranger && (path === top || path.startsWith(`${top}/`)),
      ),
    );
  const same = (one: Tree, other: Tree) =>
    Object.keys(one).length === Object.keys(other).length &&
    Object.entries(one).every(([path, content]) => other[path] === content);
  for (const top of tops({ ...now, ...before, ...after })) {
    const isWhole = same(part(now, top), part(before, top)) || same(part(now, top), part(after, top));
    expect({ top, isWhole }).toEqual({ top, isWhole: true });
  }
}

async function expectWholeAnyway(scenario: Scenario): Promise<void> {
  const [from, to] = [join(root, 'from'), join(root, 'to')];
  const template = join(root, 'template');
  const keepCount = scenario.keepCount ?? null;
  const last = scenario.rounds.at(-1) as Tree;
  for (const tree of scenario.act === undefined ? scenario.rounds.slice(0, -1) : scenario.rounds) {
    write(from, tree);
    const shelf = await open(template, keepCount, USUAL_MANNERS);
    await putAll(shelf, from);
    await shelf.close();
  }
  scenario.disturb?.(template);
  if (scenario.act === undefined) write(from, last);
  const act = scenario.act ?? ((shelf: Shelf) => putAll(shelf, from));
  const fresh = () => {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['-a', template, to]);
  };

  fresh();
  const before = read(to);
  const count = crashAt(Number.MAX_SAFE_INTEGER);
  const shelf = await open(to, keepCount, count.manners);
  await act(shelf);
  await shelf.close();
  const after = read(to);
  const calls = count.count();
  expect(calls).toBeGreaterThan(5);

  for (let number = 0; number < calls; number++) {
    fresh();
    const crash = crashAt(number);
    void open(to, keepCount, crash.manners).then(act);
    await crash.happened;
    closeFilesUnder(root);
    if (!scenario.isInParts) expectWhole(read(to), before, after, scenario.stranger);
    // Whoever comes to repair it is killed as well.
    const second = crashAt((number * 7) % 11);
    const repaired = open(to, keepCount, second.manners).then((opened) => opened.close());
    await Promise.race([second.happened, repaired]);
    closeFilesUnder(root);

    const reopened = await open(to, keepCount, USUAL_MANNERS);
    expectWhole(read(to), before, after);
    expect(existsSync(join(to, '.trainyard/manifest.next.json'))).toBe(false);
    expect(existsSync(join(to, '.trainyard/drafts'))).toBe(false);
    await act(reopened);
    expect((await reopened.verify()).remarks).toEqual([]);
    expect(read(to)).toEqual(after);
    scenario.check?.(to);
    await reopened.close();
  }
}

test('a new file', () =>
  expectWholeAnyway({
    rounds: [{}, { 'step_1.pt': 'one' }],
    check: (to) => expect(readdirSync(join(to, '.trainyard'))).not.toContain('previous'),
  }));

test('a file that takes the place of another, which stays as the one before', () =>
  expectWholeAnyway({
    rounds: [{ 'last.pt': 'one' }, { 'last.pt': 'two' }, { 'last.pt': 'three' }],
    check: (to) => expect(readFileSync(join(to, '.trainyard/previous/last.pt/last.pt'), 'utf8')).toBe('two'),
  }));

test('a large file of which only some blocks are written', () =>
  expectWholeAnyway({
    rounds: [{ 'last.pt': big(2, 2) }, { 'last.pt': big(2, 3) }, { 'last.pt': big(2, 4) }],
    check: (to) => expect(statSync(join(to, 'last.pt')).size).toBe(BIG),
  }));

test('a directory that takes the place of another, with what somebody else put into that', () =>
  expectWholeAnyway({
    rounds: [
      { 'last/frozen': 'same', 'last/weights': 'one', 'last/optim/gone': 'x' },
      { 'last/frozen': 'same', 'last/weights': 'two', 'last/optim/gone': 'x' },
      { 'last/frozen': 'same', 'last/weights': 'three', 'last/new/deep': 'y' },
    ],
    stranger: 'last/notes.md',
    disturb: (to) => writeFileSync(join(to, 'last/notes.md'), 'mine'),
    check: (to) => expect(readFileSync(join(to, 'last/notes.md'), 'utf8')).toBe('mine'),
  }));

test('a file where a directory was, and a directory where a file was', () =>
  expectWholeAnyway({
    rounds: [
      { 'one.pt': 'file', 'two.pt/part': 'directory' },
      { 'one.pt/part': 'directory', 'two.pt': 'file' },
    ],
    check: (to) => expect(readdirSync(join(to, '.trainyard/previous')).sort()).toEqual(['one.pt', 'two.pt']),
  }));

test('a group of files that takes the place of one with other files', () =>
  expectWholeAnyway({
    isInParts: true,
    rounds: [
      {
        'model.ckpt-1.index': 'i1',
        'model.ckpt-1.data-00000-of-00002': 'a1',
        'model.ckpt-1.data-00001-of-00002': 'b1',
      },
      { 'model.ckpt-1.index': 'i2', 'model.ckpt-1.data-00000-of-00001': 'ab2' },
    ],
    check: (to) => expect(readdirSync(join(to, '.trainyard/previous/model.ckpt-1'))).toHaveLength(3),
  }));

test('pointers, and what is removed because there are too many', () =>
  expectWholeAnyway({
    keepCount: 2,
    rounds: [
      { 'step_1/w': '1', 'step_2/w': '2', last: '-> step_2', latest: 'step_2' },
      { 'step_1/w': '1', 'step_2/w': '2', 'step_3/w': '3', last: '-> step_3', latest: 'step_3' },
    ],
    disturb: (to) => writeFileSync(join(to, 'somebody-else.pt'), 'mine'),
    check: (to) => expect(existsSync(join(to, 'step_1'))).toBe(false),
  }));

test('a file that somebody else has put there under that name', () =>
  expectWholeAnyway({
    rounds: [{}, { 'last.pt': 'ours' }],
    disturb: (to) => writeFileSync(join(to, 'last.pt'), 'theirs'),
    check: (to) => expect(readFileSync(join(to, '.trainyard/replaced/last.pt'), 'utf8')).toBe('theirs'),
  }));

test('a directory where somebody else has one, and a file', () =>
  expectWholeAnyway({
    rounds: [{}, { 'one/w': 'ours', 'two/w': 'ours' }],
    disturb: (to) => {
      mkdirSync(join(to, 'one'));
      writeFileSync(join(to, 'one/x'), 'theirs');
      writeFileSync(join(to, 'two'), 'theirs');
    },
    check: (to) => {
      expect(readFileSync(join(to, '.trainyard/replaced/one/x'), 'utf8')).toBe('theirs');
      expect(readFileSync(join(to, '.trainyard/replaced/two'), 'utf8')).toBe('theirs');
    },
  }));

test('a damaged one that is set aside for the one before it', () =>
  expectWholeAnyway({
    isInParts: true,
    rounds: [{ 'last.pt': 'one' }, { 'last.pt': 'two!' }],
    disturb: (to) => writeFileSync(join(to, 'last.pt'), 'tw'),
    act: (shelf) => shelf.newestWhole(),
    check: (to) => {
      expect(readFileSync(join(to, 'last.pt'), 'utf8')).toBe('one');
      expect(readFileSync(join(to, '.trainyard/damaged/last.pt'), 'utf8')).toBe('tw');
    },
  }));

test('what is pruned', () =>
  expectWholeAnyway({
    rounds: [{ 'step_1.pt': '1', 'step_2.pt': '2', 'step_3.pt': '3', 'best.pt': 'b' }],
    disturb: (to) => {
      unlinkSync(join(to, 'step_1.pt'));
      writeFileSync(join(to, 'step_1.pt'), 'not theirs any more');
    },
    act: (shelf) => shelf.prune(1, null),
    check: (to) => {
      expect(readFileSync(join(to, 'step_1.pt'), 'utf8')).toBe('not theirs any more');
      expect(existsSync(join(to, 'step_2.pt'))).toBe(false);
    },
  }));
