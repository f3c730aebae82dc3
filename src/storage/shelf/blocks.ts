/**
 * Files as rows of blocks of 4 MiB, each with the sha256 of its content. The checksum of a file of one block is that of
 * its content, as sha256sum gives it; of a longer one it is the sha256 over the digests of its blocks, one after
 * another. Reading goes ahead of whoever uses the blocks, with a few buffers however large the file is.
 */

import { createHash } from 'node:crypto';
import type { FileCalls } from './file-calls.ts';

type Reading = Pick<FileCalls, 'read'>;

export const BLOCK_BYTES = 4 << 20;

/** What somebody is sure that a file holds. */
export interface Content {
  readonly size: number;
  readonly sha256: string;
  /** Of more than one block: the digests in hex, one after another. */
  readonly blocks?: string;
}

/** Blocks that are being read while one is used, and that are still being used while the next one is. */
const AHEAD = 2;
const BEHIND = 2;

const HEX_DIGITS = 64;

/** Buffers that nobody uses at the moment; new ones cost more than what is done with them. */
const idle: Buffer[] = [];
const MAX_IDLE = 12;

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function contentOf(size: number, digests: readonly string[]): Content {
  const [only] = digests;
  if (digests.length === 1 && only !== undefined) return { size, sha256: only };
  const blocks = digests.join('');
  return { size, sha256: digestOf(Buffer.from(blocks, 'hex')), blocks };
}

/** The digest of one block of a file; null when it has no such block. */
export function blockDigest(content: Content, index: number): string | null {
  if (content.blocks === undefined) return index === 0 ? content.sha256 : null;
  const digest = content.blocks.slice(index * HEX_DIGITS, (index + 1) * HEX_DIGITS);
  return digest === '' ? null : digest;
}

/** Whether its digests belong together and fit its size: what is read from a disk need not. */
export function isSound(content: Content): boolean {
  const count = blockCount(content.size);
  if (content.blocks === undefined) return count === 1;
  return (
    content.blocks.length === count * HEX_DIGITS &&
    digestOf(Buffer.from(content.blocks, 'hex')) === content.sha256
  );
}

export function sameContent(one: Content, other: Content): boolean {
  return one.size === other.size && one.sha256 === other.sha256;
}

/** An empty file has one block, with nothing in it. */
export function blockCount(size: number): number {
  return Math.max(1, Math.ceil(size / BLOCK_BYTES));
}

/** Reads one block again; null when the file has become shorter. */
export async function readBlock(
  calls: Reading,
  fd: number,
  size: number,
  index: number,
): Promise<Buffer | null> {
  const buffer = idle.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  const bytes = Math.min(BLOCK_BYTES, size - index * BLOCK_BYTES);
  let filled = 0;
  try {
    while (filled < bytes) {
      const part = filled === 0 ? buffer : buffer.subarray(filled);
      const count = await calls.read(fd, part, bytes - filled, index * BLOCK_BYTES + filled);
      if (count === 0) break;
      filled += count;
    }
  } catch (error) {
    giveBack(buffer);
    throw error;
  }
  if (filled === bytes) return buffer.subarray(0, bytes);
  giveBack(buffer);
  return null;
}

/** After this somebody else may write into the block. */
export function giveBack(block: Buffer): void {
  if (idle.length < MAX_IDLE) idle.push(Buffer.from(block.buffer, 0, BLOCK_BYTES));
}

/** `stop`: no more of them. A promise: the block is in use until then. */
export type UseBlock = (block: Buffer, index: number) => Promise<void> | 'stop' | undefined;

/**
 * Gives every block in its order, from one of them on. False: the file is shorter than was said. Nothing is under way
 * any more when this settles.
 */
export async function eachBlock(
  calls: Reading,
  fd: number,
  size: number,
  first: number,
  use: UseBlock,
): Promise<boolean> {
  const count = blockCount(size);
  const reading: Promise<Buffer | null>[] = [];
  const inUse: Promise<void>[] = [];
  let next = first;
  try {
    for (let index = first; index < count; index++) {
      while (next < count && next <= index + AHEAD) reading.push(heeded(readBlock(calls, fd, size, next++)));
      const block = await reading.shift();
      if (block === undefined || block === null) return false;
      const using = use(block, index);
      if (using === undefined || using === 'stop') giveBack(block);
      else inUse.push(heeded(using.finally(() => giveBack(block))));
      if (using === 'stop') break;
      while (inUse.length > BEHIND) await inUse.shift();
    }
    while (inUse.length > 0) await inUse.shift();
    return true;
  } finally {
    await Promise.allSettled(inUse);
    for (const read of await Promise.allSettled(reading))
      if (read.status === 'fulfilled' && read.value !== null) giveBack(read.value);
  }
}

/** Somebody waits for it later; until then, that it failed is no news. */
function heeded<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}
