/** How `scontrol show` lays out a record: a field after the other, over several lines or on one. */

import { printable } from '../../../model/bytes.ts';
import type { Manner } from './call.ts';

/** Each line has its fields; further lines are indented, or follow on the same line. */
export function recordText(lines: readonly string[], { oneLine }: Pick<Manner, 'oneLine'>): string {
  const safe = lines.map(printable);
  return oneLine ? `${safe.join(' ')}\n` : `${safe.join('\n   ')}\n\n`;
}

/** What Slurm writes for a text that nobody gave. */
export function orNull(text: string | null): string {
  return text === null || text === '' ? '(null)' : text;
}
