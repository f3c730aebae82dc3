import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownUid } from '../client/places.ts';
import { openPrivateNames } from './private-names.ts';
import { ownNameOf, temporaryDirOf } from './temporary-dir.ts';

let base: string;
let logged: string[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'yard-temporary-'));
  logged = [];
  mkdirSync(join(base, 'yard'), 0o700);
});
afterEach(() => rmSync(base, { recursive: true }));

const log = (line: string) => logged.push(line);
/** As a daemon finds it that has just started. */
const find = (yardId = 'a1', shared = base) => {
  const directory = join(base, 'yard');
  const memory = openPrivateNames(directory, log);
  return temporaryDirOf({ directory, uid: ownUid(), yardId, shared, memory, log });
};

test('a directory for this yard and this user alone, the same each time', () => {
  const path = find().path();
  expect(path).toMatch(new RegExp(`^${base}/yard-${ownUid()}-[0-9a-f]{8}$`));
  expect(find().path()).toBe(path);
  expect(find('b2').path()).not.toBe(path);
  expect(logged).toEqual([]);
});

test('where somebody else has its name it takes another, and the next daemon finds that', () => {
  const name = ownNameOf({ uid: ownUid(), yardId: 'a1' });
  mkdirSync(join(base, 'trap'));
  symlinkSync(join(base, 'trap'), join(base, name));
  const path = find().path();
  expect(path).toMatch(new RegExp(`^${base}/${name}-[0-9a-f]{16}$`));
  expect(find().path()).toBe(path);
  expect(logged).toHaveLength(1);
  rmSync(join(base, name));
  expect(find().path()).toBe(path);
  expect(find().find(`${path}/a`)).not.toBeNull();
  expect(find().find(`${base}/${name}/a`)).not.toBeNull();
  expect(find().find(`${base}/trap/a`)).toBeNull();
});

test.each(['', '{"/tmp": "x"}', '[]', '{"/tmp/y": ["../x"]}', '\0'])(
  'other names that are written as %j are not believed',
  (text) => {
    const file = join(base, 'yard', 'private-names.json');
    writeFileSync(file, text);
    const path = find().path();
    expect(path).toBe(join(base, ownNameOf({ uid: ownUid(), yardId: 'a1' })));
    expect(logged).toEqual([expect.stringContaining(`${file} cannot be read`)]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  },
);

test('where others could rename it, or nothing can be made, it is in the yard', () => {
  const open = join(base, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  expect(find('a1', open).path()).toBe(join(base, 'yard', 'tmp'));
  expect(logged[0]).toContain(`${open} cannot be used: other users may rename what is in it`);
  chmodSync(open, 0o1777);
  expect(find('a1', open).path()).toMatch(new RegExp(`^${open}/yard-`));
  expect(find('a1', join(base, 'gone')).path()).toBe(join(base, 'yard', 'tmp'));
  expect(existsSync(join(base, 'gone'))).toBe(false);
});

test('what an earlier daemon made in the other place is found', () => {
  const gone = join(base, 'gone');
  const before = find('a1', gone).path();
  mkdirSync(gone, 0o700);
  expect(find('a1', gone).path()).not.toBe(before);
  expect(find('a1', gone).find(`${before}/a`)).toEqual({ root: before, names: ['a'] });
});
