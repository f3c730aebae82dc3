import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { textFromBytes } from '../model/bytes.ts';
import { readAt, readWholeFile, writeWholeFile } from './files.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'yard-files-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const at = (name: string) => join(directory, name);

test('reads a whole file, up to its bound and not beyond', async () => {
  writeFileSync(at('script'), 'x'.repeat(200_000));
  const whole = await readWholeFile(at('script'), 200_000);
  expect(whole.ok && whole.bytes.length).toBe(200_000);
  expect(await readWholeFile(at('script'), 199_999)).toEqual({ ok: false, error: 'tooLarge' });
});

test('a file that says it is empty is read all the same, and bounded', async () => {
  const status = await readWholeFile('/proc/version', 10_000);
  expect(status.ok && status.bytes.length).toBeGreaterThan(10);
  expect(await readWholeFile('/proc/version', 5)).toEqual({ ok: false, error: 'tooLarge' });
});

test('tells apart why it cannot be read', async () => {
  mkdirSync(at('directory'));
  writeFileSync(at('file'), '');
  symlinkSync(at('loop'), at('loop'));
  const failure = async (path: string) => {
    const result = await readWholeFile(path, 1000);
    return result.ok ? null : result.error;
  };
  expect(await failure(at('missing'))).toBe('missing');
  expect(await failure(at('file/below'))).toBe('missing');
  expect(await failure(directory)).toBe('directory');
  expect(await failure(at('loop'))).toBe('unreadable');
  expect(await failure(at('with\0nul'))).toBe('unreadable');
  expect(await failure(at('long'.repeat(100)))).toBe('unreadable');
});

test.skipIf(process.getuid?.() === 0)('says when it may not', async () => {
  writeFileSync(at('secret'), 'x');
  chmodSync(at('secret'), 0);
  expect(await readWholeFile(at('secret'), 1000)).toEqual({ ok: false, error: 'denied' });
});

test('never opens what could block it, or what is its own', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  for (const path of [at('pipe'), '/dev/zero', '/dev/tty', '/dev/fd/1', '/proc/self/environ']) {
    expect(await readWholeFile(path, 1000), `reading ${path}`).toEqual({ ok: false, error: 'unreadable' });
  }
  expect(await readAt(at('pipe'), 0, 10)).toBeNull();
});

test('finds names that are not UTF-8', async () => {
  const name = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0x41])]);
  writeFileSync(name, 'found');
  const result = await readWholeFile(textFromBytes(name), 100);
  expect(result.ok && Buffer.from(result.bytes).toString()).toBe('found');
});

test('reads a part, and says how long the whole is', async () => {
  writeFileSync(at('log'), '0123456789');
  const slice = await readAt(at('log'), 7, 2);
  expect(Buffer.from(slice?.bytes ?? []).toString()).toBe('78');
  expect(slice?.sizeBytes).toBe(10);
  expect((await readAt(at('log'), 20, 5))?.bytes.length).toBe(0);
  expect(await readAt(at('missing'), 0, 5)).toBeNull();
});

test('writes a file with the mode that is wanted, whatever the umask', async () => {
  const manner = { append: false, mode: 0o666 };
  expect(await writeWholeFile(at('new'), Buffer.from('one\n'), manner)).toEqual({ ok: true });
  expect(statSync(at('new')).mode & 0o777).toBe(0o666);
  expect(readFileSync(at('new'), 'utf8')).toBe('one\n');
});

test('writes over a file or to its end, and leaves its mode', async () => {
  writeFileSync(at('file'), 'a long first line\n', { mode: 0o600 });
  await writeWholeFile(at('file'), Buffer.from('short\n'), { append: false, mode: 0o666 });
  await writeWholeFile(at('file'), Buffer.from('more\n'), { append: true, mode: 0o666 });
  expect(readFileSync(at('file'), 'utf8')).toBe('short\nmore\n');
  expect(statSync(at('file')).mode & 0o777).toBe(0o600);
});

test('tells apart why it cannot be written', async () => {
  mkdirSync(at('directory'));
  execFileSync('mkfifo', [at('fifo')]);
  const failure = async (path: string) => {
    const result = await writeWholeFile(path, Buffer.from('x'), { append: false, mode: 0o600 });
    return result.ok ? null : result.error;
  };
  expect(await failure(at('nowhere/file'))).toBe('missing');
  expect(await failure(at('directory'))).toBe('directory');
  expect(await failure(at('fifo'))).toBe('unwritable');
  expect(await failure('/dev/stdout')).toBe('unwritable');
});
