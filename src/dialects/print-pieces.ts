/** Prints what may be long in pieces, so that it is never held as one text. */

import { type Asking, printOut } from './program.ts';

/** What is made in a few milliseconds, since others are served only between two pieces. */
const PIECE_LENGTH = 32_768;

/** Joins what is short into pieces worth sending. */
export function* printPieces(texts: Iterable<string>): Asking<void> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield* printOut(piece);
    piece = '';
  }
  if (piece !== '') yield* printOut(piece);
}
