import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyOneFile } from './copy-file.ts';

let directory: string;
const at = (name: string) => join(directory, name);
const PLAIN = { replace: false, keepTimes: false };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'copy-'));
  writeFileSync(at('program'), '#!/bin/sh\n');
  chmodSync(at('program'), 0o755);
  utimesSync(at('program'), 1000, 2000);
});
afterEach(() => rmSync(directory, { recursive: true }));

test('the copy has the contents and the mode of the first, and its times when asked for', async () => {
  expect(await copyOneFile(at('program'), at('copy'), PLAIN)).toEqual({ ok: true });
  expect(readFileSync(at('copy'), 'utf8')).toBe('#!/bin/sh\n');
  expect(statSync(at('copy')).mode & 0o777).toBe(0o755);
  expect(statSync(at('copy')).mtimeMs).toBeGreaterThan(2_000_000);
  await copyOneFile(at('program'), at('kept'), { replace: false, keepTimes: true });
  expect(statSync(at('kept')).mtimeMs).toBe(2_000_000);
});

test('what is there is replaced only when that is wanted', async () => {
  writeFileSync(at('there'), 'before');
  expect(await copyOneFile(at('program'), at('there'), PLAIN)).toEqual({
    ok: false,
    of: 'target',
    error: 'exists',
  });
  expect(readFileSync(at('there'), 'utf8')).toBe('before');
  expect(await copyOneFile(at('program'), at('there'), { ...PLAIN, replace: true })).toEqual({ ok: true });
  expect(readFileSync(at('there'), 'utf8')).toBe('#!/bin/sh\n');
});

test('what cannot be done leaves nothing behind, and says which of the two it was', async () => {
  mkdirSync(at('sub'));
  const failure = (of: string, error: string) => ({ ok: false, of, error });
  expect(await copyOneFile(at('none'), at('x'), PLAIN)).toEqual(failure('source', 'missing'));
  expect(await copyOneFile(at('sub'), at('x'), PLAIN)).toEqual(failure('source', 'directory'));
  expect(await copyOneFile('/dev/null', at('x'), PLAIN)).toEqual(failure('source', 'unusable'));
  expect(await copyOneFile(at('program'), at('sub'), PLAIN)).toEqual(failure('target', 'directory'));
  expect(await copyOneFile(at('program'), at('none/x'), PLAIN)).toEqual(failure('target', 'missing'));
  expect(readdirSync(directory).sort()).toEqual(['program', 'sub']);
});
