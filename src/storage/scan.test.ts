import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listDirectory, scanDirectory } from './scan.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-scan-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const inside = (...parts: string[]) => join(directory, ...parts);

test('a directory that is not there has nothing in it; what is no directory is an error', async () => {
  expect(await scanDirectory(inside('nothing'))).toEqual([]);
  writeFileSync(inside('file'), '');
  await expect(scanDirectory(inside('file'))).rejects.toThrow('ENOTDIR');
});

test('files, directories and links are told with their sizes, times and permissions', async () => {
  writeFileSync(inside('step-1.pt'), 'abc', { mode: 0o640 });
  mkdirSync(inside('5', 'empty'), { recursive: true });
  writeFileSync(inside('5', '.metadata'), '12');
  symlinkSync('../elsewhere', inside('5', 'link'));
  symlinkSync('step-1.pt', inside('last'));
  const units = await scanDirectory(directory);
  expect(units.map(({ kind, name, bytes }) => [kind, name, bytes])).toEqual([
    ['directory', '5', 2 + '../elsewhere'.length],
    ['pointer', 'last', 'step-1.pt'.length],
    ['file', 'step-1.pt', 3],
  ]);
  const [five, last, step] = units;
  expect(five?.files.map(({ path, link }) => [path, link])).toEqual([
    ['5/.metadata', null],
    ['5/link', '../elsewhere'],
  ]);
  expect(five?.directories.map(({ path }) => path)).toEqual(['5', '5/empty']);
  expect(last?.files[0]?.link).toBe('step-1.pt');
  expect(step?.files[0]).toMatchObject({ size: 3, mode: 0o640, link: null });
});

test('links are not followed, and what cannot be copied is left out', async () => {
  mkdirSync(inside('real'));
  writeFileSync(inside('real', 'file'), 'x');
  symlinkSync('real', inside('loop'));
  symlinkSync('.', inside('real', 'self'));
  execFileSync('mkfifo', [inside('pipe'), inside('real', 'pipe')]);
  const units = await scanDirectory(directory);
  expect(units.map(({ kind, name, files }) => [kind, name, files.length])).toEqual([
    ['pointer', 'loop', 1],
    ['directory', 'real', 2],
  ]);
});

test('names that are no text come back as they are', async () => {
  mkdirSync(Buffer.concat([Buffer.from(`${directory}/d`), Buffer.from([0xff])]));
  writeFileSync(
    Buffer.concat([Buffer.from(`${directory}/d`), Buffer.from([0xff]), Buffer.from('/a\n\x80', 'latin1')]),
    'x',
  );
  symlinkSync(Buffer.from([0xfe]), inside('link'));
  const units = await scanDirectory(directory);
  expect(units.map(({ name, files }) => [name, files.map(({ path, link }) => [path, link])])).toEqual([
    ['d\udcff', [['d\udcff/a\n\udc80', null]]],
    ['link', [['link', '\udcfe']]],
  ]);
});

test('temporary directories are known, but not looked into', async () => {
  mkdirSync(inside('.trainyard', 'drafts'), { recursive: true });
  writeFileSync(inside('5.tmp'), 'x');
  const { units, births } = await listDirectory(directory, { maxFiles: 2, maxDepth: 9 });
  expect(units).toEqual([]);
  // Where the file system keeps the moment of birth.
  expect([[], ['.trainyard', '5.tmp']]).toContainEqual([...births.keys()].sort());
});

test('what is too much or too deep is the trouble of that unit alone', async () => {
  mkdirSync(inside('deep', 'a', 'b'), { recursive: true });
  mkdirSync(inside('many'));
  for (let n = 0; n < 5; n++) writeFileSync(inside('many', String(n)), '');
  writeFileSync(inside('fine.pt'), '');
  const troubles = async (maxFiles: number, maxDepth: number) =>
    (await scanDirectory(directory, { maxFiles, maxDepth })).map(({ name, trouble }) => [name, trouble]);
  expect(await troubles(100, 2)).toEqual([
    ['deep', 'deep/a: more than 2 directories deep'],
    ['fine.pt', null],
    ['many', null],
  ]);
  expect(await troubles(7, 9)).toEqual([
    ['deep', null],
    ['fine.pt', null],
    ['many', 'many: more than 7 files'],
  ]);
  await expect(troubles(2, 9)).rejects.toThrow('holds 3 files, more than can be watched (2)');
});

test('a directory without permission is the trouble of its unit', async () => {
  mkdirSync(inside('5', 'secret'), { recursive: true });
  chmodSync(inside('5', 'secret'), 0);
  const [unit] = await scanDirectory(directory);
  chmodSync(inside('5', 'secret'), 0o700);
  if (process.getuid?.() !== 0) expect(unit?.trouble).toBe('5/secret: permission denied');
  else expect(unit?.trouble).toBeNull();
});

test('files that come and go meanwhile do no harm', async () => {
  let isOver = false;
  const churn = (async () => {
    for (let n = 0; !isOver; n++) {
      mkdirSync(inside(`${n % 7}`), { recursive: true });
      writeFileSync(inside(`${n % 7}`, 'a'), 'x');
      if (n % 3 === 0) rmSync(inside(`${n % 5}`), { recursive: true, force: true });
      writeFileSync(inside('x.pt'), 'x');
      await new Promise((resolve) => setImmediate(resolve));
      unlinkSync(inside('x.pt'));
    }
  })();
  for (let n = 0; n < 60; n++)
    for (const { trouble } of await scanDirectory(directory)) expect(trouble).toBeNull();
  isOver = true;
  await churn;
});
