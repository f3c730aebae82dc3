/** Lines that begin with whose they are, however they come in pieces. */

import { bytesFromText } from '../../../model/bytes.ts';

export type LineLabel = (bytes: Uint8Array) => Uint8Array;

const NEWLINE = 0x0a;

/** Remembers whether the last piece ended in the middle of a line. */
export function labelled(label: string): LineLabel {
  const prefix = bytesFromText(label);
  let isAtStart = true;
  return (bytes) => {
    const out: number[] = [];
    for (const byte of bytes) {
      if (isAtStart) out.push(...prefix);
      out.push(byte);
      isAtStart = byte === NEWLINE;
    }
    return Uint8Array.from(out);
  };
}
