import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { arrivalOf, type Said } from './arrival.ts';
import { compareHomes, type Home, homeNow, rememberedHome, rememberHome } from './home.ts';

const HOME: Home = { path: '/home/ada/yard', machine: 'm1', device: '7', inode: '42' };

describe('a directory and what is remembered of it', () => {
  test.each<[string, Partial<Home>, string]>([
    ['nothing changed', {}, 'same'],
    ['another device number after a restart', { device: '8' }, 'same'],
    ['a rename', { path: '/home/ada/old' }, 'renamed'],
    ['a copy on the same disk', { path: '/home/ada/copy', inode: '43' }, 'elsewhere'],
    ['a backup restored in the same place', { inode: '43' }, 'elsewhere'],
    ['a snapshot with the same numbers', { path: '/snapshots/yard', device: '9' }, 'elsewhere'],
    ['another machine that shares the directory', { machine: 'm2' }, 'elsewhere'],
    ['a machine without a name', { machine: null }, 'elsewhere'],
    ['numbers that do not last', { inode: null, device: '8' }, 'same'],
    ['numbers that do not last, and another path', { inode: null, path: '/x' }, 'elsewhere'],
  ])('%s', (_what, changes, verdict) => {
    expect(compareHomes(HOME, { ...HOME, ...changes })).toBe(verdict);
  });
});

describe('arriving', () => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'trainyard-arrival-'));
    mkdirSync(join(base, 'yard'));
    rememberHome(join(base, 'yard'), homeNow(join(base, 'yard')));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  const arrive = (name: string, said: Said = null, jobsRun = false) => {
    const directory = join(base, name);
    return arrivalOf({
      before: rememberedHome(directory),
      now: homeNow(directory),
      said,
      jobsRun: () => jobsRun,
    });
  };

  test('at home, and for the first time', () => {
    expect(arrive('yard')).toBe('same');
    expect(arrive('yard', 'moved', true)).toBe('same');
    mkdirSync(join(base, 'new'));
    expect(arrive('new')).toBe('first');
    expect(() => arrive('yard', 'copied')).toThrow(/is no copy of a yard/);
    expect(() => arrive('new', 'copied')).toThrow(/is no copy of a yard/);
  });

  test('a copy is asked about, and is not the yard while the original is there', () => {
    cpSync(join(base, 'yard'), join(base, 'copy'), { recursive: true });
    expect(() => arrive('copy')).toThrow(
      `${base}/copy is a copy of the yard in ${base}/yard, which is still there`,
    );
    expect(() => arrive('copy', 'moved')).toThrow(/which is still there, so it was not moved/);
    expect(arrive('copy', 'copied')).toBe('copied');
    rmSync(join(base, 'yard'), { recursive: true });
    expect(() => arrive('copy')).toThrow(/or has been moved or restored from there/);
    expect(arrive('copy', 'moved')).toBe('moved');
  });

  test('a renamed directory is the same yard, unless jobs still know the old path', () => {
    renameSync(join(base, 'yard'), join(base, 'other'));
    expect(arrive('other')).toBe('renamed');
    expect(() => arrive('other', null, true)).toThrow(
      `the yard in ${base}/other was in ${base}/yard before, and jobs that it started there still run`,
    );
    expect(arrive('other', 'moved', true)).toBe('renamed');
  });

  test.each(['', 'garbage', '[]', '{"path": 7}', '{}'])('a damaged record, %j, is asked about', (text) => {
    writeFileSync(join(base, 'yard', 'home.json'), text);
    expect(() => arrive('yard')).toThrow(/home\.json is damaged/);
    expect(arrive('yard', 'moved')).toBe('moved');
    expect(arrive('yard', 'copied')).toBe('copied');
  });
});
