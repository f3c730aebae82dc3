/** Bytes from a terminal in raw mode as keys. A lone escape is told from the start of a sequence by its end. */

import type { Key } from './state.ts';

const SEQUENCES: Readonly<Record<string, Key>> = {
  '\x1b[A': 'up',
  '\x1b[B': 'down',
  '\x1bOA': 'up',
  '\x1bOB': 'down',
  '\x1b[5~': 'pageUp',
  '\x1b[6~': 'pageDown',
  '\r': 'enter',
  '\n': 'enter',
  '\x1b': 'escape',
  '\x03': 'quit',
};

/** One read may carry several keys. Sequences that mean nothing here are skipped whole. */
export function keysOf(text: string): Key[] {
  const keys: Key[] = [];
  for (const [piece] of text.matchAll(/\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|[\s\S]/gu)) {
    const known = SEQUENCES[piece];
    if (known !== undefined) keys.push(known);
    else if (!piece.startsWith('\x1b')) keys.push(piece);
  }
  return keys;
}
