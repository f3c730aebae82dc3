/** Numbers, sizes, durations and node counts as Slurm's submission options write them. Null: it is none. */

import { type Limit, parseSpan } from '../durations.ts';

const MEGABYTE = 1024 ** 2;
const MINUTE_MS = 60_000;
/** What Slurm's own counters hold. */
const MOST = 2 ** 31 - 1;

export function parseCount(text: string, least: number): number | null {
  if (!/^\+?\d{1,15}$/.test(text)) return null;
  const count = Math.min(Number(text), MOST);
  return count < least ? null : count;
}

const SIZE_UNITS: Readonly<Record<string, number>> = { k: 1 / 1024, '': 1, m: 1, g: 1024, t: 1024 ** 2 };

/** `4G`, `512MB`, `2000` (megabytes); what is less than a megabyte counts as one. */
export function parseSizeBytes(text: string): number | null {
  const match = /^(\d{1,12})([kmgt]?)(b?)$/i.exec(text);
  if (match === null || (match[2] === '' && match[3] !== '')) return null;
  const megabytes = Math.ceil(Number(match[1]) * (SIZE_UNITS[(match[2] as string).toLowerCase()] as number));
  return Number.isSafeInteger(megabytes * MEGABYTE) ? megabytes * MEGABYTE : null;
}

/** A time limit in whole minutes, rounded up; 0 is none at all. */
export function parseTimeLimit(text: string): Limit | null {
  if (/^(?:unlimited|infinite|-1)$/i.test(text)) return { limitMs: null };
  const durationMs = parseSpan(text.replace(/^(\d+)-$/, '$1-0'));
  if (durationMs === null || /\s/.test(text)) return null;
  const limitMs = Math.ceil(durationMs / MINUTE_MS) * MINUTE_MS;
  return { limitMs: limitMs === 0 ? null : limitMs };
}

export type NodeCount =
  | { readonly ok: true; readonly min: number; readonly max: number }
  | { readonly ok: false; readonly message: string };

const COUNT_UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2 };

/** `2`, `2-4`, `1k`; `-4` is up to four. */
export function parseNodeCount(text: string): NodeCount {
  const dash = text.indexOf('-');
  const [minText, maxText] = dash === -1 ? [text, null] : [text.slice(0, dash), text.slice(dash + 1)];
  const min = minText === '' && maxText !== null ? 1 : scaledCount(minText);
  if (min === null) return notACount(minText);
  if (maxText === null) return { ok: true, min, max: min };
  const max = scaledCount(maxText);
  if (max === null && maxText !== '') return notACount(maxText);
  if (max === null || max < min) {
    return {
      ok: false,
      message: `Maximum node count ${max ?? -1} is less than minimum node count ${min}`,
    };
  }
  return { ok: true, min, max };
}

function notACount(text: string): NodeCount {
  return { ok: false, message: `"${text}" is not a valid node count` };
}

function scaledCount(text: string): number | null {
  const match = /^(\d{1,9})([km]?)$/i.exec(text);
  if (match === null) return null;
  const count = Number(match[1]) * (COUNT_UNITS[(match[2] as string).toLowerCase()] as number);
  return count < 1 || count > MOST ? null : count;
}
