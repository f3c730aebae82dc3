import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NO_MEMORY, privateDirectory } from '../platform/private-directory.ts';
import { createAttemptDirs } from './progress.ts';

let base: string;
let directory: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'trainyard-progress-'));
  directory = join(base, 'own');
  mkdirSync(directory, 0o700);
  mkdirSync(join(directory, 'attempts', '17.2'), { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true }));

const own = () => privateDirectory({ parent: base, name: 'own', memory: NO_MEMORY, log: () => {} });

const dirs = () => createAttemptDirs(own(), () => {});
const file = () => join(directory, 'attempts', '17.2', 'progress.json');
const said = (text: string) => {
  writeFileSync(file(), text);
  return dirs().progress('17.2');
};

test('what a program says is read', () => {
  expect(said('{"step": 30, "steps": 100, "epoch": 2.5, "loss": 0.25, "at": 1700000000.5}')).toEqual({
    step: 30,
    steps: 100,
    epoch: 2.5,
    loss: 0.25,
    at: 1_700_000_000_500,
  });
});

test('what it leaves out, or says in a way of its own, is not known', () => {
  writeFileSync(file(), '{"step": "thirty", "loss": null, "more": {}}');
  utimesSync(file(), 1000, 1000);
  expect(dirs().progress('17.2')).toEqual({
    step: null,
    steps: null,
    epoch: null,
    loss: null,
    at: 1_000_000,
  });
  for (const text of ['', 'null', '3', '{"step": 1', `{"step": 1}${' '.repeat(5000)}`, '{"step": NaN}'])
    expect(said(text), text).toBeNull();
});

test('what is no plain file is not read', () => {
  expect(dirs().progress('17.2')).toBeNull();
  expect(dirs().progress('17.3')).toBeNull();
  writeFileSync(join(directory, 'other'), '{"step": 1}');
  symlinkSync(join(directory, 'other'), file());
  expect(dirs().progress('17.2')).toBeNull();
  rmSync(file());
  execFileSync('mkfifo', [file()]);
  expect(dirs().progress('17.2')).toBeNull();
});

test('directories of attempts that nobody knows go', async () => {
  mkdirSync(join(directory, 'attempts', '17.3'));
  mkdirSync(join(directory, 'attempts', 'mine'));
  dirs().sweep((attempt) => attempt === '17.3');
  await expect
    .poll(() => existsSync(join(directory, 'attempts', '17.2')), { interval: 5, timeout: 10_000 })
    .toBe(false);
  expect(existsSync(join(directory, 'attempts', '17.3'))).toBe(true);
  expect(existsSync(join(directory, 'attempts', 'mine'))).toBe(true);
});

test('where there is no place for them, there are none', () => {
  const none = createAttemptDirs(null, () => {});
  expect(none.of('17.2')).toBeNull();
  expect(none.isThere('17.2')).toBe(false);
  expect(none.progress('17.2')).toBeNull();
  none.sweep(() => false);
});

test.each(['attempts', 'all'])('a link in place of %s leads nobody elsewhere', async (which) => {
  mkdirSync(join(base, 'precious', 'attempts', '17.2'), { recursive: true });
  writeFileSync(join(base, 'precious', 'attempts', '17.2', 'progress.json'), '{"step": 1}');
  rmSync(directory, { recursive: true });
  if (which === 'all') symlinkSync(join(base, 'precious'), directory);
  else mkdirSync(directory, 0o700);
  if (which === 'attempts') symlinkSync(join(base, 'precious', 'attempts'), join(directory, 'attempts'));
  const all = dirs();
  expect(all.isThere('17.2')).toBe(false);
  expect(all.progress('17.2')).toBeNull();
  all.sweep(() => false);
  all.remove('17.2');
  await all.close();
  expect(existsSync(join(base, 'precious', 'attempts', '17.2', 'progress.json'))).toBe(true);
});
