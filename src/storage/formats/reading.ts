/** A file of which only pieces are read, since checkpoints are large. What is not there is simply not given. */

import type { FileHandle } from 'node:fs/promises';

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

export function readingOf(
  file: FileHandle,
  { size, blocks }: { readonly size: number; readonly blocks: number },
): Reading {
  return {
    size,
    hasHoles: blocks * STAT_BLOCK_BYTES < size,
    async at(position, length) {
      const wanted = Math.max(0, Math.min(length, size - position));
      const bytes = Buffer.alloc(wanted);
      let have = 0;
      while (have < wanted) {
        const { bytesRead } = await file.read(bytes, have, wanted - have, position + have);
        if (bytesRead === 0) break;
        have += bytesRead;
      }
      return bytes.subarray(0, have);
    },
  };
}

/** A length of 64 bits; one that no file can have is told as infinite. */
export function lengthAt(bytes: Buffer, position: number): number {
  const length = bytes.readBigUInt64LE(position);
  return length > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(length);
}
