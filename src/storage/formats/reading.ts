/** A file of which only pieces are read, since checkpoints are large. What is not there is simply not given. */

import { read } from 'node:fs';
import { promisify } from 'node:util';

export interface Reading {
  readonly size: number;
  /** Some files are made as long as they will be, and filled in afterwards in any order. */
  readonly hasHoles: boolean;
  /** As many bytes as there are from there on, at most so many. */
  at(position: number, length: number): Promise<Buffer>;
}

/** `broken`: its format says that something is missing. `unknown`: nobody can tell. */
export type Wholeness = 'whole' | 'broken' | 'unknown';

const STAT_BLOCK_BYTES = 512;
/** Read at once: of many files that is all there is. */
const HEAD_BYTES = 4096;

const readSome = promisify(read);

export async function readingOf(
  fd: number,
  { size, blocks }: { readonly size: number; readonly blocks: number },
): Promise<Reading> {
  const from = async (position: number, length: number) => {
    const wanted = Math.max(0, Math.min(length, size - position));
    const bytes = Buffer.allocUnsafe(wanted);
    let have = 0;
    while (have < wanted) {
      const { bytesRead } = await readSome(fd, bytes, have, wanted - have, position + have);
      if (bytesRead === 0) break;
      have += bytesRead;
    }
    return bytes.subarray(0, have);
  };
  const head = await from(0, HEAD_BYTES);
  return {
    size,
    hasHoles: blocks * STAT_BLOCK_BYTES < size,
    async at(position, length) {
      if (position < 0) return Buffer.alloc(0);
      const end = Math.min(position + length, size);
      return end <= head.length ? head.subarray(position, end) : from(position, length);
    },
  };
}

/** A length of 64 bits; one that no file can have is told as infinite. */
export function lengthAt(bytes: Buffer, position: number): number {
  const length = bytes.readBigUInt64LE(position);
  return length > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(length);
}
