/**
 * Python's pickles: a program of small operations of which the last one says stop. It is followed from one to the next,
 * over the data in between, so that a pickle counts as whole only when its stop is the end of the file. Nothing in it is
 * ever carried out.
 */

import type { Reading, Wholeness } from './reading.ts';

const STOP = 0x2e;
const WINDOW_BYTES = 1 << 20;
/** A pickle of many small things has to be read whole; beyond this it is not worth it. */
const MAX_OPERATIONS = 20_000_000;

/** How the argument of an operation is measured: bytes, or in how many bytes its length is given, or lines. */
type Argument = { readonly bytes: number } | { readonly lengthIn: 1 | 4 | 8 } | { readonly lines: 1 | 2 };

const ARGUMENTS: readonly (Argument | undefined)[] = argumentsByCode();

function argumentsByCode(): readonly (Argument | undefined)[] {
  const table: (Argument | undefined)[] = Array.from({ length: 256 });
  const put = (argument: Argument, codes: string | readonly number[]) => {
    for (const code of typeof codes === 'string' ? Buffer.from(codes, 'latin1') : codes)
      table[code] = argument;
  };
  put({ bytes: 0 }, '(.012NQRabde])l}osut');
  put({ bytes: 0 }, [0x81, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8f, 0x90, 0x91, 0x92, 0x93, 0x94, 0x97, 0x98]);
  put({ bytes: 1 }, 'Khq');
  put({ bytes: 1 }, [0x80, 0x82]);
  put({ bytes: 2 }, 'M');
  put({ bytes: 2 }, [0x83]);
  put({ bytes: 4 }, 'Jjr');
  put({ bytes: 4 }, [0x84]);
  put({ bytes: 8 }, 'G');
  put({ bytes: 8 }, [0x95]);
  put({ lengthIn: 1 }, 'U');
  put({ lengthIn: 1 }, [0x43, 0x8a, 0x8c]);
  put({ lengthIn: 4 }, 'TXB');
  put({ lengthIn: 4 }, [0x8b]);
  put({ lengthIn: 8 }, [0x8d, 0x8e, 0x96]);
  put({ lines: 1 }, 'FIPLSVgp');
  put({ lines: 2 }, 'ci');
  return table;
}

/** The older format of PyTorch: several pickles, then numbers without any sign of their end. */
const TORCH_MAGIC = Buffer.from('8a0a6cfc9c46f9206aa85019', 'hex');
/** Its pickles are mixed with plain bytes of arrays. */
const JOBLIB = 'joblib.numpy_pickle';

export async function wholenessOfPickle(file: Reading): Promise<Wholeness> {
  const window = createWindow(file);
  const head = await window.at(0, 64);
  if (head.subarray(2, 2 + TORCH_MAGIC.length).equals(TORCH_MAGIC)) return 'unknown';
  let at = 0;
  for (let count = 0; count < MAX_OPERATIONS; count++) {
    // Waiting for what is at hand already would be most of the work.
    const bytes = window.now(at, 16) ?? (await window.at(at, 16));
    const code = bytes[0];
    if (code === undefined) return 'broken';
    if (code === STOP) return at + 1 === file.size ? 'whole' : 'unknown';
    const argument = ARGUMENTS[code];
    if (argument === undefined) return 'unknown';
    if ('bytes' in argument) at += 1 + argument.bytes;
    else if ('lengthIn' in argument) {
      const length = lengthIn(bytes, argument.lengthIn);
      if (length === null) return 'broken';
      if (length === JOBLIB.length && (await window.at(at + 2, length)).toString('latin1') === JOBLIB)
        return 'unknown';
      at += 1 + argument.lengthIn + length;
    } else {
      const end = await afterLines(window, at + 1, argument.lines);
      if (end === null) return 'broken';
      if (argument.lines === 2 && (await window.at(at + 1, JOBLIB.length)).toString('latin1') === JOBLIB)
        return 'unknown';
      at = end;
    }
  }
  return 'unknown';
}

function lengthIn(bytes: Buffer, count: 1 | 4 | 8): number | null {
  if (bytes.length < 1 + count) return null;
  if (count === 8) return Number(bytes.readBigUInt64LE(1));
  return bytes.readUIntLE(1, count);
}

async function afterLines(window: Window, from: number, lines: number): Promise<number | null> {
  let at = from;
  for (let line = 0; line < lines; line++) {
    for (;;) {
      const bytes = await window.at(at, 4096);
      if (bytes.length === 0) return null;
      const end = bytes.indexOf(0x0a);
      at += end < 0 ? bytes.length : end + 1;
      if (end >= 0) break;
    }
  }
  return at;
}

interface Window {
  /** Null: it would have to be read first. */
  now(position: number, length: number): Buffer | null;
  at(position: number, length: number): Promise<Buffer>;
}

function createWindow(file: Reading): Window {
  let from = 0;
  let bytes: Buffer = Buffer.alloc(0);
  const now = (position: number, length: number) => {
    const offset = position - from;
    const isThere = offset >= 0 && (offset + length <= bytes.length || from + bytes.length === file.size);
    return isThere && bytes.length > 0 ? bytes.subarray(offset, offset + length) : null;
  };
  return {
    now,
    async at(position, length) {
      const there = now(position, length);
      if (there !== null) return there;
      from = position;
      bytes = await file.at(position, Math.max(length, WINDOW_BYTES));
      return bytes.subarray(0, length);
    },
  };
}
