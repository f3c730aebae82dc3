/** The caller's stdin, which comes only when it is asked for, and at most once. */

import type { ReadResult } from '../../dialects/program.ts';

export interface CallerStdin {
  readonly read: (maxBytes: number) => Promise<ReadResult>;
  readonly add: (bytes: Uint8Array) => void;
  readonly end: () => void;
  /** Whether the client may send input now. */
  readonly wasAsked: () => boolean;
}

interface Reading {
  readonly maxBytes: number;
  readonly give: (result: ReadResult) => void;
}

export function callerStdin(ask: () => void): CallerStdin {
  let asked = false;
  let over = false;
  let reading: Reading | null = null;
  let chunks: Uint8Array[] = [];
  let total = 0;

  const settle = (result: ReadResult) => {
    over = true;
    chunks = [];
    reading?.give(result);
    reading = null;
  };

  return {
    wasAsked: () => asked,
    /** A second read finds the end, as it would on any stream. */
    read: (maxBytes) => {
      if (over || reading !== null) return Promise.resolve({ ok: true, bytes: new Uint8Array(0) });
      return new Promise((give) => {
        reading = { maxBytes, give };
        asked = true;
        ask();
      });
    },
    add: (bytes) => {
      if (over || reading === null) return;
      total += bytes.length;
      if (total > reading.maxBytes) settle({ ok: false, error: 'tooLarge' });
      else chunks.push(bytes);
    },
    end: () => {
      if (!over) settle({ ok: true, bytes: Buffer.concat(chunks) });
    },
  };
}
