import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tidyUp } from './tidy.ts';
import { openYardFiles, type YardFiles } from './yard-files.ts';

let base: string;
let files: YardFiles;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'tidy-'));
  files = openYardFiles(base, '-ab12', join(import.meta.dirname, '../../libexec/shim.sh'), 0);
});
afterEach(() => rmSync(base, { recursive: true }));

const LONG_AGO_S = Date.now() / 1000 - 400 * 86_400;

function leave(path: string, isOld: boolean): void {
  writeFileSync(path, 'revoked\n');
  if (isOld) utimesSync(path, LONG_AGO_S, LONG_AGO_S);
}

test.each([true, false])('the store decides what goes, not age (old: %s)', (isOld) => {
  for (const attempt of ['1.1', '2.1']) {
    leave(join(files.ranks, `${attempt}.0`), isOld);
    leave(join(files.steps, `${attempt}.0`), isOld);
    leave(join(files.groups, attempt), isOld);
  }
  const mayGo = tidyUp(files, 'yard', null, (attempt) => attempt === '1.1');
  expect(mayGo).toEqual(['2.1']);
  // Rank files stay until a late shim has had time to find its rank taken.
  expect(readdirSync(files.ranks)).toEqual(['1.1.0', '2.1.0']);
  expect(readdirSync(files.steps)).toEqual(['1.1.0']);
  expect(readdirSync(files.groups)).toEqual(['1.1']);
});

test('a step or a group without a rank file is kept as long as its attempt is owed', () => {
  leave(join(files.steps, '1.1.0'), true);
  leave(join(files.groups, '1.1'), true);
  expect(tidyUp(files, 'yard', null, () => true)).toEqual([]);
  expect([readdirSync(files.steps), readdirSync(files.groups)]).toEqual([['1.1.0'], ['1.1']]);
});
