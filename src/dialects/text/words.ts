/** Small English: counts, lists and amounts inside sentences. */

import { printable } from '../../model/bytes.ts';

/** `1 job`, `4 jobs`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** `a`, `a and b`, `a, b and c`; with more than `most`, the rest as a number. */
export function listed(items: readonly string[], most = 5, joint: 'and' | 'or' = 'and'): string {
  if (items.length > most) return `${items.slice(0, most).join(', ')} ${joint} ${items.length - most} more`;
  if (items.length <= 1) return items[0] ?? '';
  return `${items.slice(0, -1).join(', ')} ${joint} ${items.at(-1)}`;
}

/** Something a user wrote, inside a sentence: safe, and not longer than a sentence bears. */
export function quoted(text: string): string {
  const safe = printable(text);
  return `"${safe.length > 80 ? `${safe.slice(0, 79)}…` : safe}"`;
}

export function capitalised(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** At most two digits after the point, none when they are zeros. */
export function plainNumber(value: number): string {
  return `${Math.round(value * 100) / 100}`;
}

/** `45 %`, of thousandths. */
export function percentText(millis: number): string {
  return `${Math.round(millis / 10)} %`;
}
