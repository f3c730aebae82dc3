/**
 * Format strings of `-o`: text, and fields of the form `%[[.]width]letter`. Everything from one field to the next
 * percent sign belongs to it and is printed as it stands; a percent sign cannot be printed, as in the original.
 */

import { type Cell, type Column, type LayoutProblem, type ReadLayout, WIDEST } from './layout.ts';

export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** With `all`, `%all` stands for that format. */
export function readFormat<Row>(format: string, columns: Columns<Row>, all: string | null): ReadLayout<Row> {
  const problems: LayoutProblem[] = [];
  const [before = '', ...fields] = (all === null ? format : format.replace(ALL_FIELDS, all)).split('%');
  const cells = fields
    .filter((field) => field !== '')
    .map((field): Cell<Row> => {
      const [, dot, digits, letter = '', after = ''] = FIELD.exec(field) as RegExpExecArray;
      const width = Math.min(Number(digits), WIDEST);
      if (Object.hasOwn(columns, letter))
        return { column: columns[letter] as Column<Row>, width, onTheRight: dot === '.', after };
      problems.push({ said: letter });
      return { column: null, width: 0, onTheRight: false, after: `%${field}` };
    });
  return { layout: { before, cells }, problems };
}

const ALL_FIELDS = /%all(?=%|$)/gi;
const FIELD = /^(\.?)(\d*)(.?)(.*)$/su;
