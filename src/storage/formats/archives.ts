/**
 * Zip (PyTorch, NumPy's npz, Keras), tar and gzip. A zip and a tar say at their end what is before it; a gzip must be
 * read through.
 */

import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { lengthAt, type Reading, type Wholeness } from './reading.ts';

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const LOCATOR_BYTES = 20;
const END64_BYTES = 56;
const MAX_LIST_BYTES = 64 << 20;

const LOCAL = 0x04034b50;
const LISTED = 0x02014b50;
const END = 0x06054b50;
const LOCATOR = 0x07064b50;
const END64 = 0x06064b50;

interface List {
  readonly count: number;
  readonly from: number;
  readonly to: number;
}

/** The list of what is in it comes last, and must end where its own end record begins. */
export async function wholenessOfZip(file: Reading): Promise<Wholeness> {
  const list = await listOf(file);
  if (list === null) return 'broken';
  if (list.to - list.from > MAX_LIST_BYTES) return 'unknown';
  const bytes = await file.at(list.from, list.to - list.from);
  let at = 0;
  for (let count = 0; count < list.count; count++) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== LISTED) return 'broken';
    const [stored, local] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)];
    if (local !== 0xffffffff && stored !== 0xffffffff && local + stored > list.from) return 'broken';
    at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  if (at !== bytes.length) return 'broken';
  const head = await file.at(0, 4);
  return list.count === 0 || head.readUInt32LE(0) === LOCAL ? 'whole' : 'broken';
}

async function listOf(file: Reading): Promise<List | null> {
  const tailFrom = Math.max(0, file.size - END_BYTES - MAX_COMMENT_BYTES);
  const tail = await file.at(tailFrom, file.size - tailFrom);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END || at + END_BYTES + tail.readUInt16LE(at + 20) !== tail.length)
      continue;
    const endAt = tailFrom + at;
    const [bytes, from] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    const list = await longListBefore(file, endAt);
    if (list !== null) return list;
    if (from + bytes === endAt) return { count: tail.readUInt16LE(at + 10), from, to: endAt };
  }
  return null;
}

/** Of a zip of more than 4 GiB, and of any that PyTorch writes. */
async function longListBefore(file: Reading, endAt: number): Promise<List | null> {
  const locator = await file.at(endAt - LOCATOR_BYTES, LOCATOR_BYTES);
  if (endAt < LOCATOR_BYTES || locator.length < LOCATOR_BYTES || locator.readUInt32LE(0) !== LOCATOR)
    return null;
  const at = lengthAt(locator, 8);
  if (at + END64_BYTES > endAt - LOCATOR_BYTES) return null;
  const end = await file.at(at, END64_BYTES);
  if (end.length < END64_BYTES || end.readUInt32LE(0) !== END64) return null;
  const [count, bytes, from] = [lengthAt(end, 32), lengthAt(end, 40), lengthAt(end, 48)];
  return from + bytes === at && at + 12 + lengthAt(end, 4) === endAt - LOCATOR_BYTES
    ? { count, from, to: at }
    : null;
}

const BLOCK = 512;
const MAX_MEMBERS = 100_000;

/** It ends with two blocks of zeros, which are found by going from member to member. */
export async function wholenessOfTar(file: Reading): Promise<Wholeness> {
  let at = 0;
  for (let member = 0; member < MAX_MEMBERS; member++) {
    const header = await file.at(at, 2 * BLOCK);
    if (header.length < BLOCK) return 'broken';
    if (header.subarray(0, BLOCK).every((byte) => byte === 0))
      return header.length === 2 * BLOCK && header.every((byte) => byte === 0) ? 'whole' : 'broken';
    const size = tarSize(header);
    if (!isTarHeader(header) || size === null) return 'unknown';
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (at > file.size) return 'broken';
  }
  return 'unknown';
}

/** The sum of all its bytes, its own field counted as spaces. */
export function isTarHeader(header: Buffer): boolean {
  if (header.length < BLOCK || header.toString('latin1', 257, 262) !== 'ustar') return false;
  let sum = 8 * 32;
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += header[at] as number;
  return Number.parseInt(header.toString('latin1', 148, 156), 8) === sum;
}

function tarSize(header: Buffer): number | null {
  if (((header[124] as number) & 0x80) !== 0) {
    const size = header.readBigUInt64BE(128);
    return size > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(size);
  }
  const size = Number.parseInt(header.toString('latin1', 124, 136), 8);
  return Number.isNaN(size) ? null : size;
}

const MAX_GZIP_BYTES = 64 << 20;
const MAX_UNPACKED_BYTES = 1 << 30;
const PIECE_BYTES = 1 << 20;

export async function wholenessOfGzip(file: Reading): Promise<Wholeness> {
  if (file.size > MAX_GZIP_BYTES) return 'unknown';
  let unpacked = 0;
  let isTooLong = false;
  try {
    await pipeline(piecesOf(file), createGunzip(), async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) {
        unpacked += piece.length;
        isTooLong = unpacked > MAX_UNPACKED_BYTES;
        if (isTooLong) return;
      }
    });
    return isTooLong ? 'unknown' : 'whole';
  } catch {
    return isTooLong ? 'unknown' : 'broken';
  }
}

async function* piecesOf(file: Reading): AsyncGenerator<Buffer> {
  for (let at = 0; at < file.size; at += PIECE_BYTES) yield await file.at(at, PIECE_BYTES);
}
