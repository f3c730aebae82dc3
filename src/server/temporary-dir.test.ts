import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownUid } from '../client/places.ts';
import { temporaryDirOf } from './temporary-dir.ts';

let base: string;
let logged: string[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'yard-temporary-'));
  logged = [];
  mkdirSync(join(base, 'yard'));
});
afterEach(() => rmSync(base, { recursive: true }));

const find = (yard = 'yard', uid = ownUid()) =>
  temporaryDirOf({ directory: join(base, yard), uid, shared: base }, (line) => logged.push(line));

test('a directory for this yard and this user alone, the same each time', () => {
  const path = find();
  expect(path).toMatch(new RegExp(`^${base}/yard-${ownUid()}-[0-9a-f]{8}$`));
  mkdirSync(path, 0o700);
  expect(find()).toBe(path);
  expect(find('other')).not.toBe(path);
  expect(logged).toEqual([]);
});

test('what somebody else may have put there is left alone, and the yard has its own', () => {
  const path = find();
  mkdirSync(join(base, 'trap'));
  symlinkSync(join(base, 'trap'), path);
  expect(find()).toBe(join(base, 'yard', 'tmp'));
  expect(logged).toEqual([expect.stringContaining(`${path} cannot be used: it is a symbolic link`)]);
  rmSync(path);
  writeFileSync(path, '');
  expect(find()).toBe(join(base, 'yard', 'tmp'));
});

test("somebody else's directory is not used", () => {
  const elsewhere = ownUid() + 1;
  mkdirSync(find('yard', elsewhere));
  expect(find('yard', elsewhere)).toBe(join(base, 'yard', 'tmp'));
  expect(logged[0]).toContain(`it belongs to somebody else (user ${ownUid()})`);
});
