import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
const open = () => openAccountingFile(path, HEAD);
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

test('bytes that are no text are kept', async () => {
  await open().add(['caf\udce9'], 1);
  expect(readFileSync(path, 'latin1')).toBe('# head\ncaf\xe9\n');
});
