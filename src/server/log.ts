/**
 * The daemon's log: lines with UTC times in `yard.log`, which starts anew when it has grown too large; the last
 * three old ones are kept. It never throws: a full disk must not take the daemon down.
 */

import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { printable } from '../model/bytes.ts';

export interface LogOptions {
  readonly path: string;
  readonly now: () => number;
  readonly maxBytes?: number;
}

export type Log = (line: string) => void;

export const LOG_FILE = 'yard.log';
const KEPT_FILES = 3;
const DEFAULT_MAX_BYTES = 5 * 1024 * 1024;

export function openLog({ path, now, maxBytes = DEFAULT_MAX_BYTES }: LogOptions): Log {
  let fd: number | null = null;
  let sizeBytes = 0;

  const open = () => {
    fd = openSync(path, 'a', 0o600);
    sizeBytes = fstatSync(fd).size;
  };
  const rotate = () => {
    if (fd !== null) closeSync(fd);
    fd = null;
    for (let n = KEPT_FILES; n >= 1; n--)
      renameIfPossible(n === 1 ? path : `${path}.${n - 1}`, `${path}.${n}`);
  };

  return (line) => {
    const text = `${new Date(now()).toISOString()} ${line.split('\n').map(printable).join('\n  ')}\n`;
    try {
      if (fd === null) open();
      if (sizeBytes > 0 && sizeBytes + Buffer.byteLength(text) > maxBytes) {
        rotate();
        open();
      }
      sizeBytes += writeSync(fd as unknown as number, text);
    } catch {
      // Nowhere to say it. The next line tries again.
    }
  };
}

/** Where it is not, the log grows on: better too long than lost. */
function renameIfPossible(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    // There may be no such file yet.
  }
}
