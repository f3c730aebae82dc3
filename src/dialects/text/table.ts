/**
 * Aligned columns. Cells are plain text that is made safe here, with a colour beside it, so that neither
 * colours nor a user's control characters disturb the alignment. Given a width, the columns that may shrink
 * are cut until a row fits.
 */

import { printable } from '../../model/bytes.ts';
import type { Colour, Paint } from './colour.ts';
import { cutTo, displayWidth, padEnd, padStart } from './width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** It may be cut down to this many columns when the screen is narrow; without it, never. */
  readonly shrinkTo?: number;
}

export interface Cell {
  readonly text: string;
  readonly colour: Colour;
}

export type Row = readonly (string | Cell)[];

export interface TableLayout {
  readonly paint: Paint;
  /** Null: as wide as it needs to be. */
  readonly width: number | null;
  readonly indent?: string;
  readonly titles?: boolean;
}

const GAP = '  ';

/** Lines with their newlines; an empty string when there is nothing to show. */
export function table(columns: readonly Column[], rows: readonly Row[], layout: TableLayout): string {
  const natural = widened(columns, titleWidths(columns, layout), rows);
  return titleText(columns, natural, layout) + rowsText(columns, rows, natural, layout);
}

/** How wide each column would have to be for its title alone. */
export function titleWidths(columns: readonly Column[], { titles }: TableLayout): readonly number[] {
  return columns.map(({ title }) => (titles === false ? 0 : displayWidth(title)));
}

/** The same with these rows: for a table of which only a part is held at a time. */
export function widened(
  columns: readonly Column[],
  widths: readonly number[],
  rows: readonly Row[],
): readonly number[] {
  const wider = [...widths];
  for (const row of rows) {
    for (const i of columns.keys()) {
      const cell = row[i] ?? '';
      const width = displayWidth(printable(typeof cell === 'string' ? cell : cell.text));
      if (width > (wider[i] as number)) wider[i] = width;
    }
  }
  return wider;
}

export function titleText(
  columns: readonly Column[],
  natural: readonly number[],
  layout: TableLayout,
): string {
  if (layout.titles === false) return '';
  const titles = columns.map((column): Cell => ({ text: column.title, colour: 'grey' }));
  return rowsText(columns, [titles], natural, layout);
}

export function rowsText(
  columns: readonly Column[],
  rows: readonly Row[],
  natural: readonly number[],
  layout: TableLayout,
): string {
  const indent = layout.indent ?? '';
  const widths = layout.width === null ? natural : shrink(columns, natural, layout.width - indent.length);
  return rows
    .map((row) => `${indent}${renderLine(columns, row.map(safeCell), widths, layout.paint)}\n`)
    .join('');
}

function safeCell(cell: string | Cell): Cell {
  return typeof cell === 'string'
    ? { text: printable(cell), colour: 'none' }
    : { text: printable(cell.text), colour: cell.colour };
}

function textAt(line: readonly Cell[], i: number): string {
  return line[i]?.text ?? '';
}

/** Takes from the widest column that still may give, one column at a time. */
function shrink(columns: readonly Column[], natural: readonly number[], screen: number): readonly number[] {
  const widths = [...natural];
  let over = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - screen;
  while (over > 0) {
    let widest = -1;
    for (const [i, column] of columns.entries()) {
      const width = widths[i] as number;
      if (column.shrinkTo === undefined || width <= column.shrinkTo) continue;
      if (widest === -1 || width > (widths[widest] as number)) widest = i;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] as number) - 1;
    over -= 1;
  }
  return widths;
}

function renderLine(
  columns: readonly Column[],
  line: readonly Cell[],
  widths: readonly number[],
  paint: Paint,
): string {
  const lastFilled = line.findLastIndex((cell) => cell.text !== '');
  return columns
    .slice(0, lastFilled + 1)
    .map((column, i) => {
      const width = widths[i] as number;
      const text = cutTo(textAt(line, i), width);
      const painted = paint(line[i]?.colour ?? 'none', text);
      // Padding stays outside the colour, and none is left hanging at the end of a line.
      const pad = width - displayWidth(text);
      if (column.align === 'right') return padStart('', pad) + painted;
      return i === lastFilled ? painted : painted + padEnd('', pad);
    })
    .join(GAP);
}
