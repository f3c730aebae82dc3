import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeBelow, openBelow, privateDirectory, removeBelow } from './private-directory.ts';

let base: string;
let names: string[];
let logged: string[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'trainyard-private-'));
  names = [];
  logged = [];
});
afterEach(() => rmSync(base, { recursive: true }));

const memory = {
  recall: () => names,
  remember: (_path: string, name: string) => names.unshift(name),
};
const own = () => privateDirectory({ parent: base, name: 'own', memory, log: (line) => logged.push(line) });
const at = (...path: string[]) => join(base, ...path);

test('it is made for this user alone, and again when it is gone', () => {
  expect(own().openIfThere()).toBeNull();
  expect(own().path()).toBe(at('own'));
  expect(statSync(at('own')).mode & 0o777).toBe(0o700);
  rmSync(at('own'), { recursive: true });
  expect(own().path()).toBe(at('own'));
  expect(logged).toEqual([]);
});

test('others can no longer look into one that they could look into', () => {
  mkdirSync(at('own'));
  chmodSync(at('own'), 0o755);
  expect(own().path()).toBe(at('own'));
  expect(statSync(at('own')).mode & 0o777).toBe(0o700);
});

const SQUATS: Record<string, () => void> = {
  'a file': () => writeFileSync(at('own'), ''),
  'a link to a directory': () => symlinkSync(base, at('own')),
  'a link to nothing': () => symlinkSync(at('gone'), at('own')),
  'a directory that others can write to': () => {
    mkdirSync(at('own'));
    chmodSync(at('own'), 0o777);
  },
};

test.each(Object.keys(SQUATS))('%s in its place leads to another name, which lasts', (kind) => {
  SQUATS[kind]?.();
  const path = own().path();
  expect(path).toMatch(/\/own-[0-9a-f]{16}$/);
  expect(own().path()).toBe(path);
  expect(logged).toEqual([expect.stringMatching(/\/own cannot be used: .+; .+ is used instead$/)]);
});

test('what the name leads to is not opened unless it is own', () => {
  symlinkSync(base, at('own'));
  expect(own().openIfThere()).toBeNull();
});

test('a place that cannot hold anything is an error, not a reason for another name', () => {
  const nowhere = privateDirectory({ parent: at('gone'), name: 'own', memory, log: () => {} });
  expect(() => nowhere.open()).toThrow(/ENOENT/);
  expect(names).toEqual([]);
});

test('paths are found below it and below names that it had, and nowhere else', () => {
  names.push('own-2', 'own-1');
  expect(own().find(at('own-2', 'a', 'b'))).toEqual({ root: at('own-2'), names: ['a', 'b'] });
  expect(own().find(at('own-1', 'a'))?.root).toBe(at('own-1'));
  expect(own().find(at('own', 'a'))?.root).toBe(at('own'));
  for (const path of [
    at('own'),
    `${at('own')}/`,
    at('other', 'a'),
    `${at('own')}/../other`,
    `${at('own')}/a//b`,
    `${at('own')}/.`,
  ])
    expect(own().find(path), path).toBeNull();
});

test('directories below it are made and removed without following links', async () => {
  mkdirSync(at('precious', 'a'), { recursive: true });
  const deep = { root: at('own'), names: ['jobs', 'a'] };
  makeBelow(deep).close();
  writeFileSync(at('own', 'jobs', 'a', 'file'), '');
  await removeBelow(deep);
  expect(readdirSync(at('own', 'jobs'))).toEqual([]);
  await removeBelow(deep);
  rmSync(at('own', 'jobs'), { recursive: true });
  symlinkSync(at('precious'), at('own', 'jobs'));
  expect(() => makeBelow(deep)).toThrow(/ENOTDIR/);
  await expect(removeBelow(deep)).rejects.toThrow(/ENOTDIR/);
  expect(existsSync(at('precious', 'a'))).toBe(true);
  rmSync(at('own'), { recursive: true });
  symlinkSync(at('precious'), at('own'));
  await expect(removeBelow({ root: at('own'), names: ['a'] })).rejects.toThrow(/ENOTDIR/);
  expect(existsSync(at('precious', 'a'))).toBe(true);
  rmSync(at('own'));
  expect(openBelow(deep)).toBeNull();
});

test('what a job has made open to all below it is removed all the same', async () => {
  makeBelow({ root: at('own'), names: ['jobs', 'a'] }).close();
  chmodSync(at('own', 'jobs'), 0o777);
  await removeBelow({ root: at('own'), names: ['jobs', 'a'] });
  expect(readdirSync(at('own', 'jobs'))).toEqual([]);
});

test('it goes when nothing but empty directories is left in it', async () => {
  makeBelow({ root: at('own'), names: ['a', 'b'] }).close();
  makeBelow({ root: at('own'), names: ['c'] }).close();
  writeFileSync(at('own', 'c', 'file'), '');
  await own().leave();
  expect(readdirSync(at('own'))).toEqual(['c']);
  rmSync(at('own', 'c', 'file'));
  await own().leave();
  expect(existsSync(at('own'))).toBe(false);
  await own().leave();
});
