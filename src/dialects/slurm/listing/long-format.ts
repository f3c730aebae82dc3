/**
 * Formats of `-O`: names with commas between them, each with a width and what follows it where somebody says so:
 * `name[:[.][width][suffix]]`. Without a colon a field is 20 wide.
 */

import type { Columns } from './format.ts';
import { type Cell, type Column, type LayoutProblem, type ReadLayout, WIDEST } from './layout.ts';

const USUAL_WIDTH = 20;

/** Names are found in any case; the table has them in lower case. */
export function readLongFormat<Row>(format: string, columns: Columns<Row>): ReadLayout<Row> {
  const problems: LayoutProblem[] = [];
  const cells = format
    .split(',')
    .filter((field) => field !== '')
    .map((field): Cell<Row> => {
      const [, name = '', shape] = NAME_AND_SHAPE.exec(field) as RegExpExecArray;
      const key = name.toLowerCase();
      const known = Object.hasOwn(columns, key);
      if (!known) problems.push({ said: name });
      return { ...shapeOf(shape), column: known ? (columns[key] as Column<Row>) : null };
    });
  return { layout: { before: '', cells }, problems };
}

const NAME_AND_SHAPE = /^([^:]*)(?::(.*))?$/s;
const SHAPE = /^(\.?)(\d*)(.*)$/s;

function shapeOf(shape: string | undefined): Omit<Cell<never>, 'column'> {
  if (shape === undefined) return { width: USUAL_WIDTH, onTheRight: false, after: '' };
  const [, dot, digits, after = ''] = SHAPE.exec(shape) as RegExpExecArray;
  return { width: Math.min(Number(digits), WIDEST), onTheRight: dot === '.', after };
}
