/** Lines of the live screen, put together from coloured pieces so that they fit. */

import type { Colour, Paint } from '../../dialects/text/colour.ts';
import { cutTo, displayWidth } from '../../dialects/text/width.ts';
import { counted } from '../../dialects/text/words.ts';

export interface Look {
  readonly paint: Paint;
  readonly columns: number;
  /** Full and empty parts of a bar. */
  readonly bar: readonly [full: string, empty: string];
}

/** A piece of a line; its text is safe to print. */
export interface Piece {
  readonly text: string;
  readonly colour: Colour;
}

/** Cuts the pieces so that together they fit, and colours them. */
export function line(pieces: readonly Piece[], { columns, paint }: Pick<Look, 'columns' | 'paint'>): string {
  let room = columns;
  let out = '';
  for (const { text, colour } of pieces) {
    const cut = cutTo(text, room);
    out += paint(colour, cut);
    room -= displayWidth(cut);
    if (room <= 0) break;
  }
  return out;
}

export function bar(part: number, width: number, { bar: [full, empty] }: Look): string {
  const filledCells = Math.round(Math.min(1, Math.max(0, part)) * width);
  return full.repeat(filledCells) + empty.repeat(width - filledCells);
}

export function title(name: string, count: number, noun: string, look: Look): string {
  return line(
    [
      { text: name, colour: 'bold' },
      { text: ` ${counted(count, noun)}`, colour: 'grey' },
    ],
    look,
  );
}
