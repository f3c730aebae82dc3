import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDirectory } from '../platform/directory.ts';
import { openBelow } from '../platform/open-below.ts';
import { mappedForWriting } from '../platform/open-files.ts';
import { createOpennessCheck } from './closed.ts';

const openHere = async (path: string) => {
  const parent = openDirectory(dirname(path));
  return openBelow(parent, basename(path)).finally(parent.close);
};
const isBeingWritten = async (path: string) => (await createOpennessCheck(openHere)(path)) === 'writing';

let directory: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-closed-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) await ended(child);
  rmSync(directory, { recursive: true });
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** A process that has done this with the file, and holds on. */
async function holder(deed: string, path: string): Promise<ChildProcess> {
  const code = `${deed}; process.stdout.write('ready'); setInterval(() => {}, 1e9);`;
  const child = spawn(process.execPath, ['-e', code, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

const OPEN_FOR_WRITING = `require('fs').openSync(process.argv[1], 'r+')`;
const OPEN_FOR_READING = `require('fs').openSync(process.argv[1], 'r')`;
const MAPPED = `
  const fs = require('fs'), koffi = require(${JSON.stringify(createRequire(import.meta.url).resolve('koffi'))});
  const libc = koffi.load(null), fd = fs.openSync(process.argv[1], 'r+');
  const map = libc.func('void *mmap(void *at, size_t length, int protection, int flags, int fd, int64_t offset)');
  if (koffi.address(map(null, 4096, 3, 1, fd, 0)) === 0xffffffffffffffffn) throw new Error('not mapped');
  fs.closeSync(fd)`;

function made(name = 'model.pt'): string {
  const path = join(directory, name);
  writeFileSync(path, Buffer.alloc(8192));
  return path;
}

/** As on a file system that has no leases. */
const withoutLeases = createOpennessCheck.bind(null, openHere, () => 'EINVAL');

describe('a file', () => {
  test('that nobody has open is closed, and can be asked about again and again', async () => {
    const path = made();
    const check = createOpennessCheck(openHere);
    expect([await check(path), await check(path)]).toEqual(['closed', 'closed']);
    expect(await isBeingWritten(path)).toBe(false);
  });

  test('that another process has open for writing is being written, until that one is dead', async () => {
    const path = made();
    const writer = await holder(OPEN_FOR_WRITING, path);
    expect(await isBeingWritten(path)).toBe(true);
    expect(await withoutLeases()(path)).toBe('writing');
    await ended(writer);
    expect(await isBeingWritten(path)).toBe(false);
    expect(await withoutLeases()(path)).toBe('unknown');
  });

  test('that is mapped for writing is being written, though its descriptor is closed', async () => {
    const path = made();
    const writer = await holder(MAPPED, path);
    expect(await isBeingWritten(path)).toBe(true);
    expect(await withoutLeases()(path)).toBe('writing');
    await ended(writer);
    expect(await isBeingWritten(path)).toBe(false);
  });

  test('that is only being read is closed', async () => {
    const path = made();
    await holder(OPEN_FOR_READING, path);
    expect(await createOpennessCheck(openHere)(path)).toBe('closed');
    expect(await withoutLeases()(path)).toBe('unknown');
  });

  test('can be opened for writing by others while it is asked about, and nobody is harmed', async () => {
    const path = made();
    const child = spawn(
      process.execPath,
      [
        '-e',
        `const fs = require('fs'); for (let n = 0; n < 5000; n++) fs.closeSync(fs.openSync(process.argv[1], 'r+'));`,
        path,
      ],
      { stdio: 'inherit' },
    );
    children.push(child);
    const exit = once(child, 'exit');
    let isRunning = true;
    exit.then(
      () => {
        isRunning = false;
      },
      () => {},
    );
    const check = createOpennessCheck(openHere);
    while (isRunning) await check(path);
    expect(await exit).toEqual([0, null]);
    expect(await check(path)).toBe('closed');
  });

  test('with a name that is no text is found', async () => {
    const path = Buffer.concat([Buffer.from(`${directory}/a`), Buffer.from([0xff, 0x0a])]);
    const fd = openSync(path, 'w');
    expect(await isBeingWritten(`${directory}/a\udcff\n`)).toBe(true);
    closeSync(fd);
    expect(await createOpennessCheck(openHere)(`${directory}/a\udcff\n`)).toBe('closed');
  });

  test('that is gone, or a link, or may not be read, is unknown', async () => {
    const check = createOpennessCheck(openHere);
    expect(await check(join(directory, 'nothing'))).toBe('unknown');
    symlinkSync(made(), join(directory, 'link'));
    expect(await check(join(directory, 'link'))).toBe('unknown');
    const path = made('secret');
    chmodSync(path, 0);
    if (process.getuid?.() !== 0) expect(await check(path)).toBe('unknown');
  });
});

test('of mappings only those count that are shared and can be written', () => {
  const maps = [
    '7f0000000000-7f0000001000 rw-s 00000000 fe:01 123      /data/a b',
    '7f0000000000-7f0000001000 r--s 00000000 fe:01 124      /data/b',
    '7f0000000000-7f0000001000 rw-p 00000000 fe:01 125      /data/c',
    '7f0000000000-7f0000001000 rw-p 00000000 00:00 0        [heap]',
    '7f0000000000-7f0000001000 rw-s 00000000 103:100 126    /data/d',
  ];
  expect(mappedForWriting(maps.join('\n'))).toEqual(['65025:123', `${0x103 * 256 + 2 ** 20}:126`]);
});
