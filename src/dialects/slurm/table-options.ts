/** `-n`, `-p` and `-P`: the options by which `sacct`, `sstat`, `sshare` and `sacctmgr` print tables for programs. */

import { type GivenOption, isGiven, lastGiven, type OptionSpec } from '../options.ts';
import type { TableStyle } from './field-table.ts';

export const TABLE_OPTIONS: readonly OptionSpec[] = [
  { name: 'noheader', short: 'n', value: 'none' },
  { name: 'parsable', short: 'p', value: 'none' },
  { name: 'parsable2', short: 'P', value: 'none' },
];

/** Of the two ways to separate values the last one counts. */
export function tableStyleOf(given: readonly GivenOption[], separator = '|'): TableStyle {
  const parsable = lastGiven(given, ['parsable', 'parsable2'])?.name;
  return {
    layout: parsable === undefined ? 'columns' : parsable === 'parsable2' ? 'separated' : 'separatedAndEnded',
    separator,
    header: !isGiven(given, 'noheader'),
  };
}
