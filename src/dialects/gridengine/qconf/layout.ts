/**
 * Settings as Grid Engine prints them: names in a column of their own, and values that are too long for a line broken
 * at commas and spaces, with a backslash at the end of each line but the last. SGE_SINGLE_LINE keeps them whole.
 */

import { printable } from '../../../model/bytes.ts';

export type Setting = readonly [name: string, value: string];

/** With the backslash. */
const LINE_WIDTH = 80;

export interface Layout {
  /** Of the column of names. */
  readonly width: number;
  /** Nothing is broken. */
  readonly isSingleLine: boolean;
}

export function settingsText(settings: readonly Setting[], layout: Layout): string {
  return settings.map(([name, value]) => settingText(name, value, layout)).join('');
}

function settingText(name: string, value: string, { width, isSingleLine }: Layout): string {
  const safe = printable(value);
  const lines = isSingleLine ? [safe] : broken(safe, LINE_WIDTH - width - 2);
  return `${name.padEnd(width)}${lines.join(` \\\n${' '.repeat(width)}`)}\n`;
}

/** What is longer than the room by itself is left whole. */
function broken(value: string, room: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of value.match(/[^, ]*[, ]|[^, ]+$/g) ?? []) {
    if (line !== '' && (line + piece).trimEnd().length > room) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += piece;
  }
  return [...lines, line.trimEnd()];
}
