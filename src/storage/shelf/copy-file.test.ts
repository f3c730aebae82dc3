import { createHash } from 'node:crypto';
import { mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BLOCK_BYTES, type Content, isSound } from './blocks.ts';
import { type CopyOrder, copyFile, readContent, Unreadable } from './copy-file.ts';
import { directCalls, patientCalls } from './file-calls.ts';

let directory: string;
let from: string;
let to: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'trainyard-copy-'));
  [from, to] = [join(directory, 'from'), join(directory, 'to')];
});
afterEach(() => rmSync(directory, { recursive: true }));

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

function order(size: number, more: Partial<CopyOrder> = {}): CopyOrder {
  return {
    calls: patientCalls,
    from,
    size,
    isUnchanged: (stat) => stat.size === size,
    twin: null,
    openDraft: async () => ({ fd: openSync(to, 'w'), holds: null }),
    mode: 0o640,
    mtimeMs: 1_500_000_000_000,
    isSyncedLater: false,
    ...more,
  };
}

function bytesOf(size: number): Buffer {
  return Buffer.alloc(size, 'some bytes that do not repeat with the block ');
}

test.each([0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, BLOCK_BYTES * 9 + 7])(
  'a file of %d bytes arrives as it is, with a checksum that others can reckon too',
  async (size) => {
    const bytes = bytesOf(size);
    writeFileSync(from, bytes);
    const copied = await copyFile(order(size));
    expect(readFileSync(to).equals(bytes)).toBe(true);
    const digests = Array.from({ length: Math.ceil(size / BLOCK_BYTES) || 1 }, (_, n) =>
      sha256(bytes.subarray(n * BLOCK_BYTES, (n + 1) * BLOCK_BYTES)),
    );
    const expected = digests.length === 1 ? sha256(bytes) : sha256(Buffer.concat(digests));
    expect(copied?.content.sha256).toBe(expected.toString('hex'));
    expect(copied?.writtenBytes).toBe(size);
    expect(isSound(copied?.content as Content)).toBe(true);
    const { mode, mtimeMs } = statSync(to);
    expect({ mode: mode & 0o777, mtimeMs }).toEqual({ mode: 0o640, mtimeMs: 1_500_000_000_000 });
    expect(await readContent(directCalls, from, size)).toEqual(copied?.content);
  },
);

test('only blocks that differ are written, whatever came before them', async () => {
  const size = BLOCK_BYTES * 4 + 5;
  const bytes = bytesOf(size);
  writeFileSync(from, bytes);
  const twin = (await readContent(patientCalls, from, size)) as Content;
  const same = await copyFile(order(size, { twin }));
  expect(same).toMatchObject({ draft: null, writtenBytes: 0 });
  // The draft differs in its first block, the twin in its last but one.
  const base = Buffer.from(bytes);
  base.fill(1, 0, 3);
  writeFileSync(to, base);
  const holds = (await readContent(patientCalls, to, size)) as Content;
  bytes.fill(2, BLOCK_BYTES * 3, BLOCK_BYTES * 3 + 3);
  writeFileSync(from, bytes);
  const openDraft = async () => ({ fd: openSync(to, 'r+'), holds });
  expect(await copyFile(order(size, { twin, openDraft }))).toMatchObject({ writtenBytes: BLOCK_BYTES * 2 });
  expect(readFileSync(to).equals(bytes)).toBe(true);
});

test('a draft that held more or less has the right length in the end', async () => {
  for (const held of [BLOCK_BYTES * 3 + 1, BLOCK_BYTES + 1]) {
    const size = BLOCK_BYTES * 2 + 9;
    const bytes = bytesOf(size);
    writeFileSync(from, bytes);
    writeFileSync(to, bytesOf(held));
    const holds = (await readContent(patientCalls, to, held)) as Content;
    await copyFile(order(size, { openDraft: async () => ({ fd: openSync(to, 'r+'), holds }) }));
    expect(readFileSync(to).equals(bytes)).toBe(true);
  }
});

test('what is gone, shorter than said, or a link is no file to copy', async () => {
  expect(await copyFile(order(5))).toBeNull();
  writeFileSync(from, 'abc');
  expect(await copyFile(order(5))).toBeNull();
  expect(await copyFile(order(5, { isUnchanged: () => true }))).toBeNull();
  expect(await readContent(patientCalls, from, 5)).toBeNull();
});

test('a source that cannot be read is told apart from a draft that cannot be written', async () => {
  writeFileSync(from, 'abc');
  const failing = () => {
    throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
  await expect(copyFile(order(3, { calls: { ...patientCalls, read: failing } }))).rejects.toBeInstanceOf(
    Unreadable,
  );
  await expect(copyFile(order(3, { calls: { ...patientCalls, write: failing } }))).rejects.toMatchObject({
    code: 'EIO',
  });
});
