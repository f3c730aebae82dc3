/** What `-v` prints: every option that is in force, wherever it came from. */

import { printable } from '../../../model/bytes.ts';
import type { GivenOption } from '../../options.ts';
import type { Submitter } from './options.ts';

const NAME_WIDTH = 20;
const RULE = `${'-'.repeat(NAME_WIDTH)} ${'-'.repeat(NAME_WIDTH)}`;

export function verboseText(command: Submitter, given: readonly GivenOption[]): string {
  const values = new Map<string, string>();
  for (const { name, value } of given) {
    const times = name === 'verbose' ? `${Number(values.get(name) ?? 0) + 1}` : null;
    values.set(name, times ?? value ?? 'set');
  }
  const rows = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = rows.map(([name, value]) => `${name.padEnd(NAME_WIDTH)}: ${value}`);
  return ['defined options', RULE, ...lines, RULE, 'end of defined options']
    .map((line) => `${command}: ${printable(line)}\n`)
    .join('');
}
