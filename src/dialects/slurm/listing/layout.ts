/**
 * A line of a listing, cell by cell, as Slurm lays it out: each cell has a width (none: as wide as its text), a
 * side to stand on, and text that follows it. Knows neither jobs nor nodes; what a column says is the column's
 * business.
 */

import { printable } from '../../../model/bytes.ts';
import { cropTo, displayWidth } from '../../text/width.ts';

export interface Column<Row> {
  readonly heading: string;
  /** Null is nothing at all, which Slurm writes as `(null)`. */
  readonly text: (row: Row) => string | null;
  /** What stands on the right and is too long for its cell is cut, unless the column says otherwise. */
  readonly whole?: 'heading' | 'text' | 'both';
}

export interface Cell<Row> {
  /** Null: only what follows is printed. */
  readonly column: Column<Row> | null;
  /** 0: as wide as the text. */
  readonly width: number;
  readonly onTheRight: boolean;
  readonly after: string;
}

export interface Layout<Row> {
  readonly before: string;
  readonly cells: readonly Cell<Row>[];
}

/** What somebody asked for by a letter or a name that there is not. */
export interface LayoutProblem {
  readonly said: string;
}

export interface ReadLayout<Row> {
  readonly layout: Layout<Row>;
  readonly problems: readonly LayoutProblem[];
}

/** Wide enough for any screen; lines of this width are still held for many jobs at once. */
export const WIDEST = 1024;

export function headingLine<Row>({ before, cells }: Layout<Row>): string {
  let line = before;
  for (const { column, width, onTheRight, after } of cells) {
    if (column !== null) {
      const whole = column.whole === 'heading' || column.whole === 'both';
      line += fitted(column.heading, width, onTheRight, whole);
    }
    line += after;
  }
  return `${line}\n`;
}

export function rowLine<Row>({ before, cells }: Layout<Row>, row: Row): string {
  let line = before;
  for (const { column, width, onTheRight, after } of cells) {
    if (column !== null) {
      const whole = column.whole === 'text' || column.whole === 'both';
      line += fitted(shown(column.text(row), width, onTheRight), width, onTheRight, whole);
    }
    line += after;
  }
  return `${line}\n`;
}

const NULL_TEXT = '(null)';

/** C prints nothing rather than a part of `(null)`, and so do Slurm's columns that stand on the left. */
function shown(text: string | null, width: number, onTheRight: boolean): string {
  if (text === null) return !onTheRight && width > 0 && width < NULL_TEXT.length ? '' : NULL_TEXT;
  return printable(text);
}

function fitted(text: string, width: number, onTheRight: boolean, whole: boolean): string {
  if (width === 0) return text;
  const taken = displayWidth(text);
  if (taken > width) {
    if (onTheRight && whole) return text;
    const kept = cropTo(text, width);
    return kept + ' '.repeat(width - displayWidth(kept));
  }
  const space = ' '.repeat(width - taken);
  return onTheRight ? space + text : text + space;
}
