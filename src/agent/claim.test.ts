import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseClaim, revokeFile } from './claim.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-claim-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function revoked(content: string): boolean {
  const path = join(directory, '17.1.0');
  writeFileSync(path, content);
  return revokeFile(path, () => parseClaim(readFileSync(path, 'utf8')), null);
}

test('what nobody has can be revoked, and what a process has cannot', () => {
  expect(revoked('')).toBe(true);
  expect(revoked('revoked\n')).toBe(true);
  expect(revoked('4711 boot\n')).toBe(false);
});

test('a file whose first line is no claim at all is nobody’s for good', () => {
  expect(revoked('say something\n')).toBe(true);
});
