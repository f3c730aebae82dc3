import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { giveBackLease, takeReadLease, whyNoReadLease } from './leases.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-leases-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test('somebody who comes to write meanwhile does not end us, and goes on when the lease is given back', async () => {
  const path = join(directory, 'file');
  writeFileSync(path, 'a');
  const fd = openSync(path, 'r');
  expect(takeReadLease(fd)).toBeNull();
  const writer = spawn('/bin/sh', ['-c', 'printf b >> "$0"', path], { stdio: 'inherit' });
  const exit = once(writer, 'exit');
  // The kernel has told us that somebody waits for it.
  while (!/LEASE\s+BREAK/.test(readFileSync('/proc/locks', 'latin1'))) await setImmediate();
  giveBackLease(fd);
  expect(await exit).toEqual([0, null]);
  expect(readFileSync(path, 'utf8')).toBe('ab');
  expect(whyNoReadLease(fd)).toBeNull();
  closeSync(fd);
});

test('what has no leases says why', () => {
  const fd = openSync('/dev/null', 'r');
  expect(whyNoReadLease(fd)).toMatch(/^E/);
  closeSync(fd);
  expect(whyNoReadLease(fd)).toBe('EBADF');
});
