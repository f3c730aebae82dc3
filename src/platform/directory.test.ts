import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeOwnDirectory,
  makeOwnDirectoryIn,
  openDirectory,
  openDirectoryIn,
  openOwnDirectory,
  whyNotOwn,
} from './directory.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'directory-'));
});

afterEach(() => rmSync(root, { recursive: true }));

describe('a directory that is opened once', () => {
  it('stays the one that was opened when its name leads elsewhere', () => {
    mkdirSync(`${root}/own`);
    mkdirSync(`${root}/other`);
    const own = openDirectory(`${root}/own`);
    renameSync(`${root}/own`, `${root}/moved`);
    symlinkSync(`${root}/other`, `${root}/own`);
    writeFileSync(own.entry('file'), 'x');
    own.close();
    expect(readdirSync(`${root}/moved`)).toEqual(['file']);
    expect(readdirSync(`${root}/other`)).toEqual([]);
  });

  it('is not opened through a link', () => {
    mkdirSync(`${root}/target`);
    symlinkSync(`${root}/target`, `${root}/link`);
    expect(() => openDirectory(`${root}/link`)).toThrow(/ENOTDIR|ELOOP/);
    const parent = openDirectory(root);
    expect(() => openDirectoryIn(parent, 'link')).toThrow(/ENOTDIR|ELOOP/);
    parent.close();
  });

  it.each(['', '.', '..', 'a/b', '/etc', 'a\0b'])('has no entry %j', (name) => {
    const directory = openDirectory(root);
    expect(() => directory.entry(name)).toThrow(/no name of a file/);
    directory.close();
  });

  it('gives no entries once it is closed, when its number may be that of another', () => {
    const directory = openDirectory(root);
    directory.close();
    directory.close();
    expect(() => directory.entry('a')).toThrow(/closed/);
  });

  it.runIf(process.getuid?.() === 0)('is refused when another user owns it', async () => {
    const { chownSync } = await import('node:fs');
    mkdirSync(`${root}/theirs`);
    chownSync(`${root}/theirs`, 54321, 54321);
    expect(() => openOwnDirectory(`${root}/theirs`)).toThrow(/belongs to another user \(54321\)/);
    expect(() => makeOwnDirectory(`${root}/theirs`)).toThrow(/belongs to another user \(54321\)/);
    expect(lstatSync(`${root}/theirs`).mode & 0o777).toBe(0o755);
  });

  it('is refused when others may write to it, and made private where it is to be made', () => {
    mkdirSync(`${root}/open`);
    chmodSync(`${root}/open`, 0o770);
    expect(() => openOwnDirectory(`${root}/open`)).toThrow(
      /other users may write to it \(its mode is 0770\)/,
    );
    makeOwnDirectory(`${root}/open`).close();
    expect(statSync(`${root}/open`).mode & 0o777).toBe(0o700);
  });

  it('is made in another, for its user alone', () => {
    const parent = openDirectory(root);
    const made = makeOwnDirectoryIn(parent, 'made');
    expect(made.stat().mode & 0o777).toBe(0o700);
    made.close();
    makeOwnDirectoryIn(parent, 'made').close();
    writeFileSync(`${root}/file`, '');
    expect(() => makeOwnDirectoryIn(parent, 'file')).toThrow(/ENOTDIR/);
    parent.close();
  });
});

describe('whyNotOwn', () => {
  const directory = { uid: 7, mode: 0o40700, isDirectory: () => true, isSymbolicLink: () => false };
  it('finds nothing wrong with a private directory, nor with one that others may read', () => {
    expect(whyNotOwn(directory, 7)).toBeNull();
    expect(whyNotOwn({ ...directory, mode: 0o40755 }, 7)).toBeNull();
  });
  it('says what is wrong', () => {
    expect(whyNotOwn(directory, 8)).toContain('another user (7)');
    expect(whyNotOwn({ ...directory, mode: 0o41777 }, 7)).toContain('1777');
    expect(whyNotOwn({ ...directory, isDirectory: () => false }, 7)).toContain('not a directory');
    expect(whyNotOwn({ ...directory, isSymbolicLink: () => true }, 7)).toContain('symbolic link');
  });
});
