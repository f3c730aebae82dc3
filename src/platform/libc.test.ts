import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { affinityOf, errorName, lockExclusively, pageBytes, peerOf, reap } from './libc.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-libc-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('a lock has one holder, until that one lets go', () => {
  const path = join(directory, 'lock');
  const [first, second] = [openSync(path, 'w'), openSync(path, 'w')];
  expect(lockExclusively(first)).toBe(true);
  expect(lockExclusively(second)).toBe(false);
  closeSync(first);
  expect(lockExclusively(second)).toBe(true);
  closeSync(second);
  expect(() => lockExclusively(second)).toThrow('EBADF');
});

test('the kernel says who calls', async () => {
  const path = join(directory, 'socket');
  const server = createServer().listen(path);
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(path);
  const [socket] = await accepted;
  const { fd } = (socket as unknown as { _handle: { fd: number } })._handle;
  expect(peerOf(fd)).toEqual({ pid: process.pid, uid: process.getuid?.(), gid: process.getgid?.() });
  client.destroy();
  socket.destroy();
  server.close();
});

test('we may run somewhere', () => {
  expect(affinityOf()?.length).toBeGreaterThan(0);
  expect(affinityOf(2 ** 22 - 1)).toBeNull();
});

test('pages have a size, errors have names, and strangers are not ours to reap', () => {
  expect(pageBytes() % 4096).toBe(0);
  expect(errorName(2)).toBe('ENOENT');
  expect(reap(1)).toBe('gone');
});
