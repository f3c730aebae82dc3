/**
 * Values as Grid Engine's flags have them: yes and no, times, amounts of memory, ranges of tasks and slots.
 * What went wrong is null or a complaint in the original's words; which flag it was about is known to the caller.
 */

import { DAY_MS } from '../../text/calendar.ts';
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

export interface NumberRange {
  readonly first: number;
  /** Null: without end. */
  readonly last: number | null;
  readonly step: number;
}

export type ParsedRange<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly complaint: Complaint };

/** `1-10:2`, `1:10`, `1:10:2`, `5`: one range of tasks, from 1 on; the other way round is put right. */
export function parseTaskRange(text: string): ParsedRange<{ first: number; last: number; step: number }> {
  if (text.includes(',')) return wrongRange('-t option only allows one range specification');
  const range = readRange(text, { endless: false });
  if (!range.ok) return range;
  const { first, last, step } = range.value;
  return { ok: true, value: { first, last: last ?? first, step } };
}

/** `4`, `2-4`, `4-`, `-4`, `2,4,8-16`: from the least to the most. */
export function parseSlotRange(text: string): ParsedRange<readonly NumberRange[]> {
  const ranges: NumberRange[] = [];
  for (const part of text.split(',')) {
    if (part === '' && ranges.length > 0) continue;
    const range = part.startsWith('-')
      ? readRange(`1${part}`, { endless: true })
      : readRange(part, { endless: true });
    if (!range.ok) return range;
    if (/:/.test(part)) {
      const rest = part.slice(part.indexOf('-') + 1);
      return wrongRange(`Range specifier "${rest}" has unknown trailer "${rest.slice(rest.indexOf(':'))}"`);
    }
    ranges.push(range.value);
  }
  return { ok: true, value: ranges };
}

function readRange(text: string, { endless }: { readonly endless: boolean }): ParsedRange<NumberRange> {
  const start = /^\d+/.exec(text);
  if (start === null) return text.startsWith('-') ? trailer(text, 1) : noNumber(text);
  const match = /^(\d+)(?:([-:])(\d*)(?::(-?\d+))?)?$/.exec(text);
  if (match === null) return trailer(text, start[0].length);
  const [, first = '', mark, last = '', stepText] = match;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step <= 0) return wrongRange('Negative or zero step in range is not allowed');
  if (mark === undefined) return { ok: true, value: { first: Number(first), last: Number(first), step } };
  if (last === '') {
    if (!endless) return noNumber('');
    return { ok: true, value: { first: Number(first), last: null, step } };
  }
  const [low, high] = [Number(first), Number(last)].sort((a, b) => a - b) as [number, number];
  return { ok: true, value: { first: low, last: high, step } };
}

function trailer(text: string, at: number): { readonly ok: false; readonly complaint: Complaint } {
  return wrongRange(`Range specifier "${text}" has unknown trailer "${text.slice(at)}"`);
}

function noNumber(text: string): { readonly ok: false; readonly complaint: Complaint } {
  return wrongRange(
    'Numerical value invalid!',
    `The initial portion of string "${text}" contains no decimal number`,
  );
}

function wrongRange(...lines: readonly string[]): { readonly ok: false; readonly complaint: Complaint } {
  return { ok: false, complaint: complaint(EXIT_VALUE, ...lines) };
}

/** At commas that no quotes protect. */
export function splitList(text: string): readonly string[] {
  return (text.match(/(?:"[^"]*"|'[^']*'|[^,])+/g) ?? []).filter((part) => part !== '');
}
