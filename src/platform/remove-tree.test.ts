import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTree } from './remove-tree.ts';

const isRoot = process.getuid?.() === 0;
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'remove-tree-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('removing a tree', () => {
  it('removes directories, files and links, and nothing that a link leads to', async () => {
    mkdirSync(`${root}/tree/a/b`, { recursive: true });
    mkdirSync(`${root}/precious`);
    writeFileSync(`${root}/precious/file`, 'x');
    writeFileSync(`${root}/tree/a/file`, 'x');
    symlinkSync(`${root}/precious`, `${root}/tree/a/b/link`);
    symlinkSync('/nowhere', `${root}/tree/dangling`);
    await removeTree(`${root}/tree`);
    expect(readdirSync(root)).toEqual(['precious']);
    expect(readdirSync(`${root}/precious`)).toEqual(['file']);
  });

  it('removes a link, a file, an empty directory and nothing at all', async () => {
    mkdirSync(`${root}/empty`);
    mkdirSync(`${root}/target`);
    writeFileSync(`${root}/target/kept`, '');
    symlinkSync(`${root}/target`, `${root}/link`);
    writeFileSync(`${root}/file`, '');
    for (const name of ['empty', 'link', 'file', 'missing', 'missing/below'])
      await removeTree(`${root}/${name}`);
    expect(readdirSync(root)).toEqual(['target']);
    expect(readdirSync(`${root}/target`)).toEqual(['kept']);
  });

  it('removes what is in directories that nobody may write to or read', async () => {
    mkdirSync(`${root}/tree/closed/below`, { recursive: true });
    writeFileSync(`${root}/tree/closed/below/file`, '');
    chmodSync(`${root}/tree/closed/below`, 0o000);
    chmodSync(`${root}/tree/closed`, 0o500);
    chmodSync(`${root}/tree`, 0o500);
    await removeTree(`${root}/tree`);
    expect(existsSync(`${root}/tree`)).toBe(false);
  });

  it('removes names that are not UTF-8', async () => {
    mkdirSync(`${root}/tree`);
    const odd = Buffer.concat([Buffer.from(`${root}/tree/`), Buffer.from([0xff, 0x41])]);
    mkdirSync(odd);
    writeFileSync(Buffer.concat([odd, Buffer.from('/file\n')]), '');
    await removeTree(`${root}/tree`);
    expect(existsSync(`${root}/tree`)).toBe(false);
  });

  it('removes trees that are deeper than any path can be long, and more files than are listed at once', async () => {
    mkdirSync(`${root}/tree`);
    for (let n = 0; n < 500; n++) writeFileSync(`${root}/tree/${n}`, '');
    // 200 levels with names of 50 characters are 10,000 bytes; a path has at most 4,096.
    const script =
      'cd "$1" && for i in $(seq 200); do mkdir -p "$2" && cd -P "$2" && : >file || exit 1; done';
    execFileSync('bash', ['-c', script, 'bash', `${root}/tree`, 'x'.repeat(50)]);
    await removeTree(`${root}/tree`);
    expect(readdirSync(root)).toEqual([]);
  });

  it('does not follow a directory that somebody swaps for a link while it is removed', async () => {
    mkdirSync(`${root}/precious`);
    for (let n = 0; n < 20; n++) writeFileSync(`${root}/precious/${n}`, '');
    for (let round = 0; round < 30; round++) {
      for (let n = 0; n < 20; n++) mkdirSync(`${root}/tree/${n}`, { recursive: true });
      for (let n = 0; n < 20; n++) writeFileSync(`${root}/tree/${n}/${n}`, '');
      const removal = removeTree(`${root}/tree`).catch(() => {});
      for (let n = 19; n >= 0; n--) {
        try {
          renameSync(`${root}/tree/${n}`, `${root}/tree/moved-${n}`);
          symlinkSync(`${root}/precious`, `${root}/tree/${n}`);
        } catch {
          break;
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      await removal;
      await removeTree(`${root}/tree`);
    }
    expect(readdirSync(`${root}/precious`)).toHaveLength(20);
  });

  it.runIf(isRoot)('does not remove what is mounted below', async () => {
    mkdirSync(`${root}/tree/mounted`, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', 'none', `${root}/tree/mounted`]);
    try {
      writeFileSync(`${root}/tree/mounted/file`, 'x');
      await expect(removeTree(`${root}/tree`)).rejects.toThrow(/mounted is a mount point: unmount it first/);
      expect(readdirSync(`${root}/tree/mounted`)).toEqual(['file']);
    } finally {
      execFileSync('umount', [`${root}/tree/mounted`]);
    }
  });
});
