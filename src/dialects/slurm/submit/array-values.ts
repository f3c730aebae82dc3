/** The indices of `--array`: `0-15`, `0,6,16-32`, `0-15:4`, each with `%4` for four at once. */

import type { ArraySpec } from '../../../model/job-spec.ts';
import { lastOf, parseRanges } from '../../../model/ranges.ts';

/** Undefined when it is no array specification, or one beyond the largest index; null for none at all. */
export function parseArray(text: string, lastIndex: number): ArraySpec | null | undefined {
  if (text === '') return null;
  const [listText = '', throttleText = ''] = text.split('%');
  const listed = listText
    .replace(/^\s*\[(.*)\]$/, '$1')
    .split(',')
    .map((part) => part.trimStart())
    .filter((part) => part !== '');
  // Slurm reads a list without any index as the index 0.
  const indices = parseRanges(listed.length === 0 ? '0' : listed.join(','), lastIndex + 1);
  if (indices === null || (lastOf(indices) ?? 0) > lastIndex) return undefined;
  const throttle = /^\d{1,9}/.exec(throttleText);
  const atOnce = throttle === null ? 0 : Number(throttle[0]);
  return { indices, throttle: atOnce === 0 ? null : atOnce };
}
