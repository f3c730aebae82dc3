import { describe, expect, test } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import { type Entry, isGroupComplete, newestFirst, type Unit, unitsOf } from './units.ts';

function file(path: string, given: Partial<Entry> = {}): Entry {
  return {
    path,
    size: 10,
    mtimeMs: 1000,
    ctimeMs: 1000,
    ino: 1,
    link: null,
    mode: 0o644,
    isDirectory: false,
    trouble: null,
    ...given,
  };
}

const directory = (path: string) => file(path, { isDirectory: true, size: 4096 });
const link = (path: string, to: string) => file(path, { link: to });

function kinds(entries: readonly Entry[]): string[] {
  return unitsOf(entries).map(({ kind, name }) => `${kind} ${name}`);
}

describe('a listing as units', () => {
  test('a file is one, with its size and its time', () => {
    const [unit, ...others] = unitsOf([file('epoch-7.pt', { size: 77, mtimeMs: 5 })]);
    expect(others).toEqual([]);
    expect(unit).toMatchObject({
      name: 'epoch-7.pt',
      kind: 'file',
      step: 7,
      bytes: 77,
      writtenAt: 5,
      trouble: null,
    });
  });

  test('a directory is one with all that is in it, empty directories and files with a dot too', () => {
    const [unit, ...others] = unitsOf([
      file('5/b/shard', { size: 3, mtimeMs: 9 }),
      directory('5/empty'),
      directory('5/b'),
      file('5/.metadata', { size: 4, mtimeMs: 7 }),
      directory('5'),
    ]);
    expect(others).toEqual([]);
    expect(unit).toMatchObject({ name: '5', kind: 'directory', step: 5, bytes: 7, writtenAt: 9, drafts: [] });
    expect(unit?.files.map(({ path }) => path)).toEqual(['5/.metadata', '5/b/shard']);
    expect(unit?.directories.map(({ path }) => path)).toEqual(['5', '5/b', '5/empty']);
  });

  test('what is temporary in a directory is told apart, and is no part of it', () => {
    const [unit] = unitsOf([
      directory('5'),
      file('5/a'),
      file('5/a.tmp'),
      directory('5/x.tmp'),
      file('5/x.tmp/y'),
    ]);
    expect(unit?.files.map(({ path }) => path)).toEqual(['5/a']);
    expect(unit?.directories.map(({ path }) => path)).toEqual(['5']);
    expect(unit?.drafts.map(({ path }) => path)).toEqual(['5/a.tmp', '5/x.tmp/y']);
  });

  test('temporary names are none', () => {
    expect(
      kinds([file('.hidden'), file('a.tmp'), directory('.trainyard'), file('.trainyard/manifest.json')]),
    ).toEqual([]);
  });

  test('trouble with a part is trouble of the whole', () => {
    const [unit] = unitsOf([directory('5'), { ...directory('5/a'), trouble: '5/a: permission denied' }]);
    expect(unit?.trouble).toBe('5/a: permission denied');
  });

  test('files of TensorFlow with one stem are a group', () => {
    const names = ['.index', '.meta', '.data-00000-of-00002', '.data-00001-of-00002'];
    const units = unitsOf([
      ...names.map((name) => file(`model.ckpt-100${name}`)),
      file('checkpoint'),
      file('graph.pbtxt'),
    ]);
    expect(units.map(({ kind, name, step }) => [kind, name, step])).toEqual([
      ['pointer', 'checkpoint', null],
      ['file', 'graph.pbtxt', null],
      ['group', 'model.ckpt-100', 100],
    ]);
    expect(units[2]).toMatchObject({ bytes: 40, family: 'model.ckpt-#' });
  });

  test('a group is complete with its index and as many shards as they say', () => {
    const isComplete = (...parts: string[]) =>
      unitsOf(parts.map((part) => file(`ckpt-1${part}`))).map(
        (unit) => unit.kind === 'group' && isGroupComplete(unit),
      );
    expect(isComplete('.index', '.data-00000-of-00001')).toEqual([true]);
    expect(isComplete('.index', '.data-00000-of-00002', '.data-00001-of-00002')).toEqual([true]);
    expect(isComplete('.index', '.data-00001-of-00002')).toEqual([false]);
    expect(isComplete('.data-00000-of-00001')).toEqual([false]);
    expect(isComplete('.index')).toEqual([false]);
    expect(isComplete('.meta')).toEqual([false]);
    expect(isComplete('', '.meta')).toEqual([true]);
  });

  test('an index of something else is a file, and so is each beside a directory with the name of the stem', () => {
    expect(kinds([file('faiss.index'), file('video.meta'), file('video')])).toEqual([
      'file faiss.index',
      'file video',
      'file video.meta',
    ]);
    expect(kinds([directory('ckpt-1'), file('ckpt-1.index'), file('ckpt-1.data-00000-of-00001')])).toEqual([
      'directory ckpt-1',
      'file ckpt-1.data-00000-of-00001',
      'file ckpt-1.index',
    ]);
  });

  test('links point, and so do small files that are called so beside something to point to', () => {
    expect(kinds([link('last.ckpt', 'epoch-3.pt'), file('epoch-3.pt'), file('latest')])).toEqual([
      'file epoch-3.pt',
      'pointer last.ckpt',
      'pointer latest',
    ]);
    expect(kinds([file('latest_checkpointed_iteration.txt')])).toEqual([
      'pointer latest_checkpointed_iteration.txt',
    ]);
    expect(kinds([file('latest')])).toEqual(['file latest']);
    expect(kinds([file('checkpoint'), file('notes.txt')])).toEqual(['file checkpoint', 'file notes.txt']);
    expect(kinds([directory('latest'), file('latest/a'), file('x.pt')])).toEqual([
      'directory latest',
      'file x.pt',
    ]);
    expect(kinds([file('latest', { size: 1 << 30 }), file('x.pt')])).toEqual(['file latest', 'file x.pt']);
  });

  test('what a link called best points to is the best', () => {
    const units = unitsOf([
      file('epoch-1.pt'),
      file('epoch-2.pt'),
      link('best.pt', '/elsewhere/run/epoch-1.pt'),
      link('last.pt', 'epoch-2.pt'),
    ]);
    expect(units.filter(({ isBest }) => isBest).map(({ name }) => name)).toEqual(['best.pt', 'epoch-1.pt']);
  });
});

describe('the newest first', () => {
  const units = (...given: readonly (readonly [string, number])[]) =>
    unitsOf(given.map(([name, mtimeMs]) => file(name, { mtimeMs })));
  const names = (found: readonly Unit[]) => found.map(({ name }) => name);

  test('goes by step among those that are alike, as numbers, whatever their times say', () => {
    const found = newestFirst(units(['step-9', 50], ['step-10', 40], ['step-100', 1]));
    expect(names(found)).toEqual(['step-100', 'step-10', 'step-9']);
  });

  test('goes by time otherwise', () => {
    const found = newestFirst(units(['a.pt', 1], ['b.pt', 3], ['step-7', 2]));
    expect(names(found)).toEqual(['b.pt', 'step-7', 'a.pt']);
  });

  test('is one order for any listing, which does not depend on how it was given', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 300; round++) {
      const given = units(
        ...Array.from({ length: random.between(1, 12) }, (_, at): [string, number] => [
          random.pick([
            `step-${random.below(5)}-v${at}`,
            `epoch-${at}`,
            `x${at}y`,
            `run-2024050${random.between(1, 9)}-v1`,
          ]),
          random.below(6),
        ]),
      );
      const sorted = newestFirst(given);
      expect(names(newestFirst(random.shuffled(given)))).toEqual(names(sorted));
      for (const [at, unit] of sorted.entries())
        for (const later of sorted.slice(at + 1))
          if (
            unit.family !== null &&
            unit.family === later.family &&
            unit.step !== null &&
            later.step !== null
          )
            expect(unit.step).toBeGreaterThanOrEqual(later.step);
    }
  });
});

test('whatever the names are, every lasting file is in exactly one unit', () => {
  const random = seededRandom(5);
  const pieces = [
    ...[
      'a',
      'ckpt',
      'model',
      'step',
      'best',
      '-',
      '_',
      '.',
      '=',
      '#',
      ' ',
      '\n',
      '\udcff',
      'é',
      '0',
      '12',
      '00001-of-00002',
    ],
    ...[
      '.index',
      '.meta',
      '.data-00000-of-00001',
      '.tmp',
      '~',
      'latest',
      'checkpoint',
      '1e9',
      '__proto__',
      'constructor',
    ],
  ];
  const name = () => Array.from({ length: random.between(1, 5) }, () => random.pick(pieces)).join('');
  for (let round = 0; round < 1000; round++) {
    const entries = new Map<string, Entry>();
    for (let count = random.between(0, 10); count > 0; count--) {
      const top = name();
      if (entries.has(top)) continue;
      if (random.chance(0.3)) {
        entries.set(top, directory(top));
        const inside = `${top}/${name()}`;
        entries.set(inside, file(inside));
      } else entries.set(top, random.chance(0.2) ? link(top, name()) : file(top));
    }
    const listing = [...entries.values()];
    const units = unitsOf(random.shuffled(listing));
    expect(unitsOf(random.shuffled(listing))).toEqual(units);
    expect(new Set(units.map((unit) => unit.name)).size).toBe(units.length);
    const held = units.flatMap(({ files, drafts }) => [...files, ...drafts].map(({ path }) => path));
    expect(new Set(held).size).toBe(held.length);
    const tops = new Set(
      units.flatMap((unit) => [unit.name, ...unit.files.map(({ path }) => path.split('/')[0] as string)]),
    );
    const expected = listing.filter(
      (entry) => !entry.isDirectory && tops.has(entry.path.split('/')[0] as string),
    );
    expect(held.sort()).toEqual(expected.map(({ path }) => path).sort());
    for (const unit of units) {
      expect(unit.step === null || (Number.isSafeInteger(unit.step) && unit.step >= 0)).toBe(true);
      expect(unit.step === null || unit.family !== null).toBe(true);
    }
  }
});
