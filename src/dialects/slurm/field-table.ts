/**
 * Tables of named fields as `sacct`, `sstat`, `sshare` and `sacctmgr` print them: fields asked for by name, with
 * `%width`, in columns or with a separator between them. Knows no field of any of them.
 */

import { printable } from '../../model/bytes.ts';

export interface Field<Row> {
  readonly name: string;
  /** Where the heading is not the name. */
  readonly heading?: string;
  /** Other names by which it is known. */
  readonly aliases?: readonly string[];
  /** In characters; below 0 it stands at the left of its column. */
  readonly width: number;
  /** A number or a time, which is never cut to its width. */
  readonly isWhole?: boolean;
  readonly value: (row: Row) => string;
}

export interface Column<Row> {
  readonly field: Field<Row>;
  readonly width: number;
}

export interface TableStyle {
  readonly layout: 'columns' | 'separated' | 'separatedAndEnded';
  readonly separator: string;
  readonly header: boolean;
}

export type Chosen<Row> =
  | { readonly ok: true; readonly columns: readonly Column<Row>[] }
  | { readonly ok: false; readonly unknown: string };

/** Reads `jobid,state%20,user%-12`. The beginning of a name is enough; the first that fits is meant. */
export function chooseColumns<Row>(fields: readonly Field<Row>[], words: readonly string[]): Chosen<Row> {
  const columns: Column<Row>[] = [];
  for (const word of words) {
    const percent = word.indexOf('%');
    const name = percent === -1 ? word : word.slice(0, percent);
    const field = fieldNamed(fields, name);
    if (field === null) return { ok: false, unknown: name };
    columns.push({ field, width: percent === -1 ? field.width : leadingNumber(word.slice(percent + 1)) });
  }
  return { ok: true, columns };
}

function fieldNamed<Row>(fields: readonly Field<Row>[], name: string): Field<Row> | null {
  const wanted = name.toLowerCase();
  if (wanted === '') return null;
  const namesOf = (field: Field<Row>) =>
    [field.name, ...(field.aliases ?? [])].map((text) => text.toLowerCase());
  return (
    fields.find((field) => namesOf(field).includes(wanted)) ??
    fields.find((field) => namesOf(field).some((text) => text.startsWith(wanted))) ??
    null
  );
}

/** As C's atoi: what is no number is 0. */
function leadingNumber(text: string): number {
  const digits = /^\s*[+-]?\d{1,4}/.exec(text)?.[0];
  return digits === undefined ? 0 : Number(digits);
}

export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  style: TableStyle,
): string {
  return headerText(columns, style) + rows.map((row) => lineText(columns, row, style)).join('');
}

/** The lines above the first row, where the style has them. */
export function headerText<Row>(columns: readonly Column<Row>[], style: TableStyle): string {
  return style.header
    ? headerOf(columns, style)
        .map((line) => `${line}\n`)
        .join('')
    : '';
}

export function lineText<Row>(columns: readonly Column<Row>[], row: Row, style: TableStyle): string {
  return `${lineOf(columns, row, style)}\n`;
}

function headerOf<Row>(columns: readonly Column<Row>[], style: TableStyle): readonly string[] {
  const headings = columns.map(({ field }) => field.heading ?? field.name);
  if (style.layout !== 'columns') return [separated(headings, style)];
  const names = columns.map(({ width }, i) =>
    padded((headings[i] as string).slice(0, Math.abs(width)), width),
  );
  const rules = columns.map(({ width }) => '-'.repeat(Math.abs(width)));
  return [names, rules].map((cells) => cells.map((cell) => `${cell} `).join(''));
}

function lineOf<Row>(columns: readonly Column<Row>[], row: Row, style: TableStyle): string {
  const values = columns.map(({ field }) => printable(field.value(row)));
  if (style.layout !== 'columns') return separated(values, style);
  return columns
    .map(({ field, width }, i) => {
      const value = values[i] as string;
      return `${padded(field.isWhole ? value : cut(value, Math.abs(width)), width)} `;
    })
    .join('');
}

function separated(values: readonly string[], { layout, separator }: TableStyle): string {
  return values.join(separator) + (layout === 'separatedAndEnded' ? separator : '');
}

/** What is left out is marked by a `+`. */
function cut(value: string, width: number): string {
  const characters = Array.from(value);
  if (characters.length <= width) return value;
  return width < 1 ? '' : `${characters.slice(0, width - 1).join('')}+`;
}

function padded(value: string, width: number): string {
  const missing = ' '.repeat(Math.max(0, Math.abs(width) - Array.from(value).length));
  return width < 0 ? value + missing : missing + value;
}

/** The list that `--helpformat` prints: four names to a line. */
export function fieldNamesText(names: readonly string[], width: number): string {
  let text = '';
  for (const [i, name] of names.entries()) {
    text += name.padEnd(width);
    text += (i + 1) % 4 === 0 || i === names.length - 1 ? '\n' : ' ';
  }
  return text;
}
