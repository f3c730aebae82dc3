/**
 * The last lines of a file, and its size, without reading all of it: files of output can be larger than
 * memory. Only `readFrom` is at hand, so the size is found by asking whether there is a byte at an offset.
 */

import { type Asking, readFrom } from '../program.ts';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** 2^45 bytes, 32 TiB: an end to the search in any case. */
const LARGEST_POWER = 45;

/** Null when there is no such file. */
export function* sizeOfFile(path: string): Asking<number | null> {
  const first = yield* readFrom(path, 0, 1, 0);
  if (first === null) return null;
  if (first.length === 0) return 0;
  let present = 0;
  let absent = 1;
  for (let power = 0; power <= LARGEST_POWER && (yield* hasByte(path, absent)); power++) {
    present = absent;
    absent *= 2;
  }
  while (absent - present > 1) {
    const middle = Math.floor((present + absent) / 2);
    if (yield* hasByte(path, middle)) present = middle;
    else absent = middle;
  }
  return absent;
}

/** Where the last `lines` lines begin. A last line without its newline counts as one. */
export function* offsetOfLastLines(path: string, sizeBytes: number, lines: number): Asking<number> {
  if (lines === 0) return sizeBytes;
  let wanted = lines;
  let end = sizeBytes;
  while (end > 0) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const chunk = (yield* readFrom(path, start, end - start, 0)) ?? new Uint8Array(0);
    for (let i = chunk.length - 1; i >= 0; i--) {
      if (chunk[i] !== NEWLINE || start + i === sizeBytes - 1) continue;
      wanted -= 1;
      if (wanted === 0) return start + i + 1;
    }
    end = start;
  }
  return 0;
}

function* hasByte(path: string, offset: number): Asking<boolean> {
  const found = yield* readFrom(path, offset, 1, 0);
  return found !== null && found.length > 0;
}
