import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAccountingFile } from './accounting-file.ts';

let directory: string;
let path: string;
let position: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'yard-accounting-'));
  path = join(directory, 'accounting');
  position = `${path}.position`;
});
afterEach(() => rmSync(directory, { recursive: true }));

const HEAD = '# head\n';
const open = (store = 'a', lastSeq = 100) => openAccountingFile(path, HEAD, { store, lastSeq });
const text = () => readFileSync(path, 'utf8');

test('lines are added, and it is known up to where', async () => {
  expect(open().seq()).toBe(0);
  expect(text()).toBe(HEAD);
  await open().add(['one', 'two'], 7);
  await open().add(['three'], 9);
  expect(open().seq()).toBe(9);
  expect(text()).toBe('# head\none\ntwo\nthree\n');
  expect(statSync(path).mode & 0o777).toBe(0o644 & ~process.umask());
});

test('what was written but not counted is written again, not twice', async () => {
  await open().add(['one'], 3);
  appendFileSync(path, 'two\nthr');
  const file = open();
  expect(file.seq()).toBe(3);
  await file.add(['two', 'three'], 5);
  expect(text()).toBe('# head\none\ntwo\nthree\n');
});

test('who takes the file away to keep it is given another', async () => {
  const file = open();
  await file.add(['one'], 3);
  renameSync(path, `${path}.0`);
  await file.add(['two'], 5);
  expect(text()).toBe('# head\ntwo\n');
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'somebody began\nanother one, and longer than the first was');
  const next = open();
  expect(next.seq()).toBe(5);
  await next.add(['three'], 6);
  expect(text()).toBe('somebody began\nanother one, and longer than the first was\nthree\n');
});

test('where nobody knows how far it got, what it tells is not told again', async () => {
  await open().add(['one', 'two'], 5);
  rmSync(position);
  appendFileSync(path, 'thr');
  for (const damaged of [null, '', '{"seq":"x"}']) {
    if (damaged !== null) writeFileSync(position, damaged);
    expect(open().seq()).toBe(0);
  }
  await open().add(['one', 'two', 'three'], 6);
  expect(text()).toBe('# head\none\ntwo\nthree\n');
});

test('what cannot be written is not counted', async () => {
  const file = open();
  await file.add(['one'], 3);
  rmSync(path);
  mkdirSync(path);
  await expect(file.add(['two'], 5)).rejects.toThrow();
  expect(file.seq()).toBe(3);
  rmSync(path, { recursive: true });
  await file.add(['two'], 5);
  expect(text()).toBe('# head\ntwo\n');
});

test.each([
  ['its draft cannot be written', () => mkdirSync(`${position}.draft`), () => rmdirSync(`${position}.draft`)],
  [
    'it cannot take its name',
    () => mkdirSync(`${position}/x`, { recursive: true }),
    () => rmSync(position, { recursive: true }),
  ],
])('a position that cannot be noted takes the lines back: %s', async (_what, hinder, allow) => {
  const file = open();
  hinder();
  for (let time = 0; time < 3; time++) {
    await expect(file.add(['one', 'two'], 5)).rejects.toThrow();
    expect(text()).toBe(HEAD);
  }
  expect(file.seq()).toBe(0);
  allow();
  await file.add(['one', 'two'], 5);
  expect(text()).toBe('# head\none\ntwo\n');
  expect(open().seq()).toBe(5);
});

test('the position of another store, or of later than this one knows, says nothing', async () => {
  await open('a', 100).add(['one'], 50);
  expect(open('b', 100).seq()).toBe(0);
  const restored = open('a', 40);
  expect(restored.seq()).toBe(0);
  await restored.add(['one', 'other'], 41);
  expect(text()).toBe('# head\none\nother\n');
  expect(open('a', 41).seq()).toBe(41);
});

describe.skipIf(process.getuid?.() !== 0)('on a file system that is full', () => {
  const mount = (options: string) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=64k,${options}`, 'tmpfs', directory]);
  afterEach(() => execFileSync('umount', [directory]));

  test('without an inode left, each line is written once', async () => {
    mount('nr_inodes=4');
    const file = open();
    for (const name of ['other', 'another']) writeFileSync(join(directory, name), '');
    for (let time = 0; time < 6; time++) {
      await expect(file.add(['one'], 1)).rejects.toThrow(/ENOSPC/);
      expect(text()).toBe(HEAD);
    }
    for (const name of ['other', 'another']) rmSync(join(directory, name));
    await file.add(['one'], 1);
    await file.add(['two'], 2);
    expect(text()).toBe('# head\none\ntwo\n');
  });

  test('without a block left, a line is written whole or not at all', async () => {
    mount('nr_inodes=8');
    const file = open();
    await file.add(['one'], 1);
    writeFileSync(join(directory, 'other'), Buffer.alloc(52 * 1024));
    const long = 'x'.repeat(20_000);
    for (let time = 0; time < 3; time++) {
      await expect(file.add([long], 2)).rejects.toThrow(/ENOSPC/);
      expect(text()).toBe('# head\none\n');
    }
    rmSync(join(directory, 'other'));
    await file.add([long], 2);
    expect(text()).toBe(`# head\none\n${long}\n`);
  });
});

test('bytes that are no text are kept', async () => {
  await open().add(['caf\udce9'], 1);
  expect(readFileSync(path, 'latin1')).toBe('# head\ncaf\xe9\n');
});
