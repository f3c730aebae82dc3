/**
 * Arrays: NumPy's npy, safetensors, HDF5, and the index of TensorFlow. Each says at its beginning, or in a footer, how
 * long it is.
 */

import { lengthAt, type Reading, type Wholeness } from './reading.ts';

const MAX_HEADER_BYTES = 100 << 20;

function bySize(expected: number, file: Reading, longer: Wholeness): Wholeness {
  if (file.size === expected) return file.hasHoles ? 'unknown' : 'whole';
  return file.size < expected ? 'broken' : longer;
}

/** One array. A program may write several into a file, of which only the first is looked at. */
export async function wholenessOfNpy(file: Reading): Promise<Wholeness> {
  const head = await file.at(0, 12);
  if (head.length < 12) return 'broken';
  const isLong = (head[6] as number) >= 2;
  const headerBytes = isLong ? head.readUInt32LE(8) : head.readUInt16LE(8);
  const dataAt = (isLong ? 12 : 10) + headerBytes;
  if (headerBytes > MAX_HEADER_BYTES) return 'unknown';
  if (dataAt > file.size) return 'broken';
  const header = (await file.at(dataAt - headerBytes, headerBytes)).toString('latin1');
  const shape = /'shape':\s*\(([\d, ]*)\)/.exec(header)?.[1];
  const itemBytes = itemBytesOf(/'descr':\s*'([^']+)'/.exec(header)?.[1] ?? '');
  if (shape === undefined || itemBytes === null) return 'unknown';
  const sides = shape.split(',').filter((side) => side.trim() !== '');
  return bySize(dataAt + sides.reduce((product, side) => product * Number(side), itemBytes), file, 'unknown');
}

/** `<f4`, `|b1`, `<U7`, `<M8[ns]`; objects are pickled and have no length of their own. */
function itemBytesOf(type: string): number | null {
  const [, letter, count] = /^[<>|=]?([a-zA-Z])(\d+)(?:\[.*\])?$/.exec(type) ?? [];
  if (letter === undefined || letter === 'O') return null;
  return Number(count) * (letter === 'U' ? 4 : 1);
}

/** Null: it is something else. */
export async function wholenessOfSafetensors(file: Reading): Promise<Wholeness | null> {
  const head = await file.at(0, 9);
  if (head.length < 9 || head[8] !== 0x7b) return null;
  const headerBytes = lengthAt(head, 0);
  if (headerBytes > MAX_HEADER_BYTES) return null;
  if (8 + headerBytes > file.size) return 'broken';
  const header = (await file.at(8, headerBytes)).toString('utf8');
  let dataBytes = 0;
  try {
    for (const [name, tensor] of Object.entries(
      JSON.parse(header) as Record<string, { data_offsets?: unknown }>,
    )) {
      if (name === '__metadata__') continue;
      const end = Array.isArray(tensor?.data_offsets) ? (tensor.data_offsets[1] as unknown) : null;
      if (typeof end !== 'number') return 'unknown';
      dataBytes = Math.max(dataBytes, end);
    }
  } catch {
    return 'broken';
  }
  return bySize(8 + headerBytes + dataBytes, file, 'broken');
}

/** Where its data ends is written when it is closed; while it grows it is longer than it says. */
export async function wholenessOfHdf5(file: Reading): Promise<Wholeness> {
  const head = await file.at(0, 96);
  if (head.length < 48) return 'broken';
  const version = head[8] as number;
  if (version > 3) return 'unknown';
  const addressBytes = head[version < 2 ? 13 : 9];
  if (addressBytes !== 8) return 'unknown';
  const endAt = version < 2 ? 40 + 4 * version : 28;
  if (head.length < endAt + 8) return 'broken';
  // Version 3 notes that somebody has it open for writing.
  if (version === 3 && ((head[11] as number) & 1) === 1) return 'broken';
  return bySize(lengthAt(head, endAt), file, 'unknown');
}

const FOOTER_BYTES = 48;
const BLOCK_TRAILER_BYTES = 5;
export const TABLE_MAGIC = Buffer.from('57fb808b247547db', 'hex');

/** A sorted table: its footer is written last, and points to the block right before it. */
export async function wholenessOfTable(file: Reading): Promise<Wholeness> {
  const footer = await file.at(file.size - FOOTER_BYTES, FOOTER_BYTES);
  // Others call their files an index too.
  if (file.size < FOOTER_BYTES || !footer.subarray(-TABLE_MAGIC.length).equals(TABLE_MAGIC)) return 'unknown';
  let at = 0;
  const numbers = Array.from({ length: 4 }, () => {
    let value = 0;
    for (let scale = 1; at < FOOTER_BYTES; scale *= 128) {
      const byte = footer[at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    return value;
  });
  const [, , indexAt, indexBytes] = numbers as [number, number, number, number];
  return indexAt + indexBytes + BLOCK_TRAILER_BYTES === file.size - FOOTER_BYTES ? 'whole' : 'broken';
}
