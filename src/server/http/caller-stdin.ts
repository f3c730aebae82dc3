/** The caller's stdin, which comes only when it is asked for: whole, or line by line. */

import type { ReadResult } from '../../dialects/program.ts';
import { textFromBytes } from '../../model/bytes.ts';

export interface CallerStdin {
  readonly read: (maxBytes: number) => Promise<ReadResult>;
  /** Without its end; null when there is none any more. */
  readonly readLine: () => Promise<string | null>;
  readonly add: (bytes: Uint8Array) => void;
  readonly end: () => void;
  /** Whether the client may send input now. */
  readonly wasAsked: () => boolean;
}

type Reader =
  | { readonly wants: 'all'; readonly maxBytes: number; readonly give: (result: ReadResult) => void }
  | { readonly wants: 'line'; readonly give: (line: string | null) => void };

/** Of lines that nobody has read yet, so that a caller cannot fill the yard's memory. */
const MOST_UNREAD_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export function callerStdin(ask: () => void): CallerStdin {
  let asked = false;
  let over = false;
  let reader: Reader | null = null;
  let unread: Uint8Array[] = [];
  let unreadBytes = 0;

  const keep = (chunks: Uint8Array[]) => {
    unread = chunks;
    unreadBytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  };

  const takeAll = (): Uint8Array => {
    const bytes = Buffer.concat(unread);
    keep([]);
    return bytes;
  };

  /** Undefined while its end has not come. */
  const takeLine = (): string | null | undefined => {
    if (!over && !unread.some((chunk) => chunk.includes(NEWLINE))) return undefined;
    const bytes = takeAll();
    const end = bytes.indexOf(NEWLINE);
    if (end === -1) return bytes.length === 0 ? null : textFromBytes(bytes);
    keep([bytes.subarray(end + 1)]);
    return textFromBytes(bytes.subarray(0, end));
  };

  const serve = () => {
    const current = reader;
    if (current?.wants === 'all' && over) {
      reader = null;
      current.give({ ok: true, bytes: takeAll() });
    } else if (current?.wants === 'line') {
      const line = takeLine();
      if (line === undefined) return;
      reader = null;
      current.give(line);
    }
  };

  const giveUp = () => {
    over = true;
    keep([]);
    const current = reader;
    reader = null;
    if (current?.wants === 'all') current.give({ ok: false, error: 'tooLarge' });
    else current?.give(null);
  };

  const attend = (next: Reader) => {
    reader = next;
    serve();
    if (reader === null || asked) return;
    asked = true;
    ask();
  };

  return {
    wasAsked: () => asked,
    /** A second read finds the end, as it would on any stream. */
    read: (maxBytes) => {
      if (reader !== null) return Promise.resolve({ ok: true, bytes: new Uint8Array(0) });
      return new Promise((give) => attend({ wants: 'all', maxBytes, give }));
    },
    readLine: () => {
      if (reader !== null) return Promise.resolve(null);
      return new Promise((give) => attend({ wants: 'line', give }));
    },
    add: (bytes) => {
      if (over) return;
      unread.push(bytes);
      unreadBytes += bytes.length;
      const bound = reader?.wants === 'all' ? reader.maxBytes : MOST_UNREAD_BYTES;
      if (unreadBytes > bound) giveUp();
      else serve();
    },
    end: () => {
      over = true;
      serve();
    },
  };
}
