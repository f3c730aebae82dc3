import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openLog } from './log.ts';

const root = mkdtempSync(join(tmpdir(), 'trainyard-log-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a line has its time in UTC, and what follows is indented under it', () => {
  const path = join(root, 'one.log');
  const log = openLog({ path, now: () => Date.UTC(2026, 0, 2, 3, 4, 5) });
  log('starts');
  log('a story\nof two lines');
  expect(readFileSync(path, 'utf8')).toBe(
    '2026-01-02T03:04:05.000Z starts\n2026-01-02T03:04:05.000Z a story\n  of two lines\n',
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('it goes on where an earlier daemon stopped, and starts anew when it is too long', () => {
  const path = join(root, 'long.log');
  const options = { path, now: () => 0, maxBytes: 100 };
  for (let n = 0; n < 10; n++) openLog(options)(`line ${n} ${'x'.repeat(40)}`);
  expect(readFileSync(path, 'utf8')).toContain('line 9');
  expect(readFileSync(`${path}.1`, 'utf8')).toContain('line 8');
  expect(readFileSync(`${path}.3`, 'utf8')).toContain('line 6');
  expect(existsSync(`${path}.4`)).toBe(false);
  expect(statSync(path).size).toBeLessThanOrEqual(100);
});

test('a place where nothing can be written is no reason to fail', () => {
  const log = openLog({ path: '/proc/no/such/yard.log', now: () => 0 });
  expect(() => log('lost')).not.toThrow();
  expect(() => openLog({ path: '/dev/full', now: () => 0 })('lost')).not.toThrow();
});
