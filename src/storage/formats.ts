/**
 * Whether a checkpoint is whole, as far as its format tells: most say at their beginning or end how long they are, so
 * little of a large file is read. Only `whole` means anything good: that no shorter piece of such a file would have looked
 * the same. Formats are told by what they begin with, since names say little.
 */

import { closeSync, fstatSync } from 'node:fs';
import type { DirectoryHandle } from '../platform/directory.ts';
import { openBelow } from '../platform/open-below.ts';
import { isTarHeader, wholenessOfGzip, wholenessOfTar, wholenessOfZip } from './formats/archives.ts';
import {
  wholenessOfHdf5,
  wholenessOfNpy,
  wholenessOfSafetensors,
  wholenessOfTable,
} from './formats/arrays.ts';
import { wholenessOfPickle } from './formats/pickle.ts';
import { type Reading, readingOf, type Wholeness } from './formats/reading.ts';

const MAX_JSON_BYTES = 64 << 20;
const HEAD_BYTES = 512;

/** Files with such names are never empty when they are finished. */
const NEVER_EMPTY =
  /\.(?:pt|pth|ckpt|bin|npz|npy|h5|hdf5|keras|safetensors|pkl|pickle|json|zip|gz|tar|tgz|index)$/i;

/** Of a file below a directory. The size that it had when it was looked at; an unreadable file is unknown. */
export async function looksWhole(root: DirectoryHandle, path: string, size: number): Promise<Wholeness> {
  try {
    const fd = await openBelow(root, path);
    try {
      const found = fstatSync(fd);
      if (!found.isFile()) return 'unknown';
      if (found.size !== size) return 'broken';
      return await wholenessOf(await readingOf(fd, found), path);
    } finally {
      closeSync(fd);
    }
  } catch {
    return 'unknown';
  }
}

async function wholenessOf(file: Reading, name: string): Promise<Wholeness> {
  if (file.size === 0) return NEVER_EMPTY.test(name) ? 'broken' : 'unknown';
  const head = await file.at(0, HEAD_BYTES);
  const begins = (...signs: string[]) =>
    signs.some((sign) => head.toString('latin1', 0, sign.length) === sign);
  if (begins('PK\x03\x04', 'PK\x05\x06')) return wholenessOfZip(file);
  if (begins('\x93NUMPY')) return wholenessOfNpy(file);
  if (begins('\x89HDF\r\n\x1a\n')) return wholenessOfHdf5(file);
  if (begins('\x1f\x8b')) return wholenessOfGzip(file);
  if (begins('\x80\x02', '\x80\x03', '\x80\x04', '\x80\x05')) return wholenessOfPickle(file);
  if (isTarHeader(head)) return wholenessOfTar(file);
  if (name.endsWith('.index')) return wholenessOfTable(file);
  const asTensors = await wholenessOfSafetensors(file);
  if (asTensors !== null) return asTensors;
  return wholenessOfJson(file, head, name);
}

/** Python writes numbers that are none. */
const STRING_OR_PYTHON_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN/g;

/** Only of lists and objects the end can be seen: half a number is a number too. A value on each line has no end. */
async function wholenessOfJson(file: Reading, head: Buffer, name: string): Promise<Wholeness> {
  if (!/^\s*[[{]/.test(head.toString('latin1')) || /\.(?:jsonl|ndjson|log)$/i.test(name)) return 'unknown';
  if (file.size > MAX_JSON_BYTES) return 'unknown';
  const text = (await file.at(0, file.size)).toString('utf8');
  if (
    isJson(text) ||
    isJson(text.replace(STRING_OR_PYTHON_NUMBER, (found) => (found[0] === '"' ? found : '0')))
  )
    return 'whole';
  return name.endsWith('.json') && !isJson(text.slice(0, text.indexOf('\n') + 1)) ? 'broken' : 'unknown';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
