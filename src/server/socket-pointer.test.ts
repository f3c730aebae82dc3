import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSocketPointer } from './socket-pointer.ts';

let root: string;
let directory: string;
beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'trainyard-pointer-'));
  directory = join(root, 'yard');
  mkdirSync(directory, { mode: 0o700 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const said: string[] = [];
const open = (path = directory) => openSocketPointer(path, (line) => said.push(line));

test('says where the yard listens and for which directory, to its owner alone', () => {
  const pointer = open();
  pointer.write('/run/yard.sock');
  const { dev, ino } = statSync(directory, { bigint: true });
  expect(readFileSync(join(directory, 'socket'), 'utf8')).toBe(`/run/yard.sock\n${dev} ${ino}\n`);
  expect(statSync(join(directory, 'socket')).mode & 0o777).toBe(0o600);
  pointer.remove();
  expect(readdirSync(directory)).toEqual([]);
});

test('a daemon that was killed while it wrote leaves nothing behind', () => {
  const outside = join(root, 'outside');
  writeFileSync(outside, 'kept');
  writeFileSync(join(directory, 'socket.17.draft'), '/run/ya');
  symlinkSync(outside, join(directory, 'socket.18.draft'));
  mkdirSync(join(directory, 'socket.19.draft'));
  for (const kept of ['socket', 'socket.x.draft', 'other.17.draft']) writeFileSync(join(directory, kept), '');
  open().write('/run/yard.sock');
  expect(readdirSync(directory).sort()).toEqual([
    'other.17.draft',
    'socket',
    'socket.19.draft',
    'socket.x.draft',
  ]);
  expect(readFileSync(outside, 'utf8')).toBe('kept');
  expect(said.join('\n')).toContain('socket.19.draft cannot be removed');
});

test('what takes the place of the directory meanwhile is left alone', () => {
  const pointer = open();
  pointer.write('/run/yard.sock');
  renameSync(directory, join(root, 'moved'));
  mkdirSync(directory);
  writeFileSync(join(directory, 'socket'), 'of another yard');
  pointer.remove();
  expect(readFileSync(join(directory, 'socket'), 'utf8')).toBe('of another yard');
  expect(existsSync(join(root, 'moved', 'socket'))).toBe(false);
});

test('a link to a directory of our own will do, one that others can write to will not', () => {
  const link = join(root, 'link');
  symlinkSync(directory, link);
  open(link).remove();
  chmodSync(directory, 0o770);
  expect(() => open()).toThrow(/cannot be trusted: other users may write to it/);
});
