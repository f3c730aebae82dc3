/**
 * Values as Grid Engine's flags have them: yes and no, times, amounts of memory, ranges of tasks and slots.
 * What went wrong is null or a complaint in the original's words; which flag it was about is known to the caller.
 */

import { DAY_MS } from '../../text/calendar.ts';
import {
  type NumberRange,
  type ReadRange,
  readOneRange,
  readRange,
  type WholeRange,
} from '../number-ranges.ts';
import { type Complaint, complaint, EXIT_VALUE } from './complaints.ts';

/** `y`, `yes`, `n`, `no` in any spelling; null: neither. */
export function parseYesNo(text: string): boolean | null {
  const word = text.toLowerCase();
  if (word === 'y' || word === 'yes') return true;
  return word === 'n' || word === 'no' ? false : null;
}

/** More than anybody means: what is longer is without end. */
const LONGEST_MS = 1000 * 365 * DAY_MS;

/** `3600`, `1:0:0`, `:10:`, `0x10`, `1.5`; `'unlimited'` for INFINITY; null: no time. */
export function parseTimeMs(text: string): number | 'unlimited' | null {
  if (/^infinity$/i.test(text)) return 'unlimited';
  const seconds = secondsOf(text);
  if (seconds === null) return null;
  const ms = Math.round(seconds * 1000);
  return ms > LONGEST_MS ? 'unlimited' : ms;
}

function secondsOf(text: string): number | null {
  const parts = /^(\d*):(\d*):(\d*)$/.exec(text);
  if (parts === null) return parseNumber(text);
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map(Number);
  return (hours * 60 + minutes) * 60 + seconds;
}

const MULTIPLIERS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  K: 2 ** 10,
  m: 1e6,
  M: 2 ** 20,
  g: 1e9,
  G: 2 ** 30,
  t: 1e12,
  T: 2 ** 40,
};

/** `1G`, `1.5g`, `0x1M`, `4096`; `'unlimited'` for INFINITY; null: no amount. */
export function parseMemoryBytes(text: string): number | 'unlimited' | null {
  if (/^infinity$/i.test(text)) return 'unlimited';
  const match = /^(.*?)([kKmMgGtT]?)$/s.exec(text);
  const amount = parseNumber(match?.[1] ?? '');
  if (amount === null) return null;
  const bytes = Math.floor(amount * (MULTIPLIERS[match?.[2] ?? ''] ?? 1));
  return bytes > Number.MAX_SAFE_INTEGER ? 'unlimited' : bytes;
}

/** Decimal with or without a point, hexadecimal, or octal; null: no number. */
export function parseNumber(text: string): number | null {
  if (/^[+-]?0x[\da-f]{1,13}$/i.test(text)) {
    const digits = Number.parseInt(text.replace(/^[+-]/, ''), 16);
    return text.startsWith('-') ? -digits : digits;
  }
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Those that `-l` takes for an attribute of type BOOL. */
export function parseBoolean(text: string): boolean | null {
  if (/^(?:true|1)$/i.test(text)) return true;
  return /^(?:false|0)$/i.test(text) ? false : null;
}

export type ParsedRange<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly complaint: Complaint };

/** `1-10:2`, `1:10`, `5`, `1,3,5`: one range of tasks, from 1 on. */
export function parseTaskRange(text: string): ParsedRange<WholeRange> {
  return parsed(readOneRange(text));
}

/** `4`, `2-4`, `4-`, `-4`, `2,4,8-16`: from the least to the most. */
export function parseSlotRange(text: string): ParsedRange<readonly NumberRange[]> {
  const ranges: NumberRange[] = [];
  for (const part of text.split(',')) {
    if (part === '' && ranges.length > 0) continue;
    const range = parsed(readRange(/^-./.test(part) ? `1${part}` : part, { endless: true }));
    if (!range.ok) return range;
    if (/-.*:/.test(part)) {
      const rest = part.slice(part.indexOf('-') + 1);
      return wrongRange(`Range specifier "${rest}" has unknown trailer "${rest.slice(rest.indexOf(':'))}"`);
    }
    ranges.push(range.value);
  }
  return { ok: true, value: ranges };
}

function parsed<T>(range: ReadRange<T>): ParsedRange<T> {
  return range.ok ? range : wrongRange(...range.lines);
}

function wrongRange(...lines: readonly string[]): { readonly ok: false; readonly complaint: Complaint } {
  return { ok: false, complaint: complaint(EXIT_VALUE, ...lines) };
}

/** At commas that no quotes protect. */
export function splitList(text: string): readonly string[] {
  return (text.match(/(?:"[^"]*"|'[^']*'|[^,])+/g) ?? []).filter((part) => part !== '');
}
