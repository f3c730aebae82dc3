import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureDirectory, errorWords, readFileIfThere, removeIfThere, writeFileAtomic } from './files.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-files-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a file is replaced as a whole, with its permissions, and nothing is left over', () => {
  const path = join(directory, 'file');
  writeFileAtomic(path, 'one');
  writeFileAtomic(path, Buffer.from('two'), 0o640);
  expect(readFileIfThere(path)?.toString()).toBe('two');
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(directory)).toEqual(['file']);
});

test('a failed replacement leaves the old file and no draft', () => {
  ensureDirectory(join(directory, 'target'));
  writeFileSync(join(directory, 'target', 'inside'), '');
  expect(() => writeFileAtomic(join(directory, 'target'), 'x')).toThrow();
  expect(readdirSync(directory)).toEqual(['target']);
});

test('what is not there reads as nothing', () => {
  expect(readFileIfThere(join(directory, 'none'))).toBeNull();
  expect(readFileIfThere('/dev/null/none')).toBeNull();
  expect(() => readFileIfThere(directory)).toThrow();
  expect(removeIfThere(join(directory, 'none'))).toBe(false);
});

test('directories are made private, with those above them, and may be there already', () => {
  const path = join(directory, 'a', 'b');
  ensureDirectory(path);
  ensureDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('errors are told in words', () => {
  let caught: unknown;
  try {
    chmodSync(join(directory, 'none'), 0);
  } catch (error) {
    caught = error;
  }
  expect(errorWords(caught)).toBe('no such file or directory');
  expect(errorWords(new Error('odd'))).toBe('odd');
});
