/** Slurm's durations: `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours[:minutes[:seconds]]`. */

import { two } from '../text/calendar.ts';

export type Limit = { readonly limitMs: number | null };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time limit; `UNLIMITED`, `INFINITE` and `-1` are none at all. Null when it is no duration. */
export function parseLimit(text: string): Limit | null {
  if (/^(?:unlimited|infinite|-1)$/i.test(text)) return { limitMs: null };
  const limitMs = parseSpan(text);
  return limitMs === null ? null : { limitMs };
}

/** Null when it is no duration. */
export function parseSpan(text: string): number | null {
  const match = /^(?:(\d{1,7})-)?(\d{1,9})(?::(\d{1,4}))?(?::(\d{1,4}))?$/.exec(text.trim());
  if (match === null) return null;
  const [days, first, second, third] = match
    .slice(1)
    .map((part) => (part === undefined ? null : Number(part)));
  if (days != null) return days * DAY + (first ?? 0) * HOUR + (second ?? 0) * MINUTE + (third ?? 0) * SECOND;
  if (second == null) return (first ?? 0) * MINUTE;
  if (third == null) return (first ?? 0) * MINUTE + second * SECOND;
  return (first ?? 0) * HOUR + second * MINUTE + third * SECOND;
}

/** As `squeue` prints it: `0:03`, `10:00`, `1:00:00`, `1-00:00:00`. */
export function clockText(durationMs: number): string {
  const { days, hours, minutes, seconds } = partsOf(durationMs);
  if (days > 0) return `${days}-${two(hours)}:${two(minutes)}:${two(seconds)}`;
  if (hours > 0) return `${hours}:${two(minutes)}:${two(seconds)}`;
  return `${minutes}:${two(seconds)}`;
}

/** As `scontrol` and `sacct` print it: `00:10:00`, `1-00:00:00`. */
export function fullClockText(durationMs: number): string {
  const { days, hours, minutes, seconds } = partsOf(durationMs);
  const clock = `${two(hours)}:${two(minutes)}:${two(seconds)}`;
  return days > 0 ? `${days}-${clock}` : clock;
}

function partsOf(durationMs: number) {
  const total = Math.max(0, Math.floor(durationMs / SECOND));
  return {
    days: Math.floor(total / 86_400),
    hours: Math.floor(total / 3600) % 24,
    minutes: Math.floor(total / 60) % 60,
    seconds: total % 60,
  };
}
