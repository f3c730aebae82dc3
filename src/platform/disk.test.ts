import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { beginWriteOut, cloneFile, exchangeNames, reserveRoom, syncFileSystem } from './disk.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-disk-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('two names change places at once, or neither does', () => {
  const [one, other] = [join(directory, 'one'), join(directory, 'öther')];
  mkdirSync(one);
  writeFileSync(join(one, 'inside'), 'x');
  writeFileSync(other, 'file');
  if (exchangeNames(one, other)) {
    expect(readFileSync(one, 'utf8')).toBe('file');
    expect(readFileSync(join(other, 'inside'), 'utf8')).toBe('x');
  } else {
    expect(readFileSync(other, 'utf8')).toBe('file');
  }
  expect(() => exchangeNames(one, join(directory, 'missing'))).toThrow('ENOENT');
});

test('room is promised, or refused with the name of the trouble', () => {
  const fd = openSync(join(directory, 'file'), 'w');
  reserveRoom(fd, 0);
  reserveRoom(fd, 8192);
  expect([0, 8192]).toContain(statSync(join(directory, 'file')).size);
  expect(() => reserveRoom(fd, Number.MAX_SAFE_INTEGER)).toThrow(/ENOSPC|EFBIG/);
  closeSync(fd);
});

test('files are made safe one by one or all at once', async () => {
  const path = join(directory, 'file');
  writeFileSync(path, 'content');
  const fd = openSync(path, 'r+');
  await beginWriteOut(fd, 0, 7);
  expect(typeof (await syncFileSystem(fd))).toBe('boolean');
  closeSync(fd);
  expect(await syncFileSystem(fd + 1000)).toBe(false);
});

test('a clone has the same content where clones can be had', () => {
  const [from, to] = [join(directory, 'from'), join(directory, 'to')];
  writeFileSync(from, 'content');
  const [fromFd, toFd] = [openSync(from, 'r'), openSync(to, 'w')];
  if (cloneFile(fromFd, toFd)) expect(readFileSync(to, 'utf8')).toBe('content');
  else expect(statSync(to).size).toBe(0);
  closeSync(fromFd);
  closeSync(toFd);
  expect(existsSync(to)).toBe(true);
});
