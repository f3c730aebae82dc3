/** Cells of Grid Engine's fixed columns: padded to a width, and cut where the column has an end. */

import { printable } from '../../model/bytes.ts';

const PLAIN = /^[\x20-\x7e]*$/;

/** To the left, cut. What would disturb a terminal is shown, not sent. */
export function cell(text: string, width: number): string {
  const shown = PLAIN.test(text) ? text : printable(text);
  return shown.length <= width ? shown.padEnd(width) : [...shown].slice(0, width).join('');
}

/** To the right, in full. */
export function right(value: number | string, width: number): string {
  return `${value}`.padStart(width);
}
