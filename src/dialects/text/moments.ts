/**
 * Moments as people write them: `16:00`, `tomorrow 08:00`, `+2h`, `now+1hour`, `2026-11-16T08:00`. Whether a
 * time of day or a plain duration lies ahead or behind depends on what is being asked: a job begins later, a
 * history begins earlier.
 */

import { parseDuration } from '../../model/units.ts';
import { addDays, instantOf, isRealDate, utcInstant, type WallTime, wallTime } from './calendar.ts';

export type Direction = 'ahead' | 'behind';

/** Null when it is no moment that this file can read. */
export function parseMoment(text: string, now: number, zone: string, direction: Direction): number | null {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  if (words === 'now') return now;
  return (
    readRelative(words, now, direction) ?? readDated(words, zone) ?? readClock(words, now, zone, direction)
  );
}

const UNITS: Readonly<Record<string, string>> = {
  second: 's',
  sec: 's',
  minute: 'm',
  min: 'm',
  hour: 'h',
  hr: 'h',
  day: 'd',
  week: 'w',
};

/** `+2h`, `-2h`, `now+1hour`, `2h`, `2h ago`. A bare `16:00` is a time of day, and a bare number is nothing. */
function readRelative(words: string, now: number, direction: Direction): number | null {
  const match = /^(now ?)?([+-]?) ?([\d.]+ ?[a-z][\d. a-z]*?)( ago)?$/.exec(words);
  if (match === null) return null;
  const [, base, sign, amount = '', ago] = match;
  if (base !== undefined && sign === '') return null;
  const short = amount
    .replace(/([a-z]+)/g, (unit) => UNITS[unit] ?? UNITS[unit.replace(/s$/, '')] ?? unit)
    .replaceAll(' ', '');
  const durationMs = parseDuration(short);
  if (durationMs === null) return null;
  if (ago !== undefined) return sign === '' ? now - durationMs : null;
  const ahead = sign === '' ? direction === 'ahead' : sign === '+';
  return ahead ? now + durationMs : now - durationMs;
}

/** `2026-11-16`, `2026-11-16T08:00`, `2026-11-16 08:00:30`, with `Z` or `+01:00` for another zone. */
function readDated(words: string, zone: string): number | null {
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(z|[+-]\d{2}:?\d{2})?)?$/.exec(
      words,
    );
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const wall: WallTime = { year, month, day, hour, minute, second };
  if (!isRealDate(year, month, day) || !isRealClock(wall)) return null;
  const shift = match[7];
  if (shift === undefined) return instantOf(wall, zone);
  return utcInstant(wall) - (shift === 'z' ? 0 : shiftMs(shift));
}

/** `16:00`, `4pm`, `noon`, `today 16:00`, `tomorrow`, `yesterday 08:00`. */
function readClock(words: string, now: number, zone: string, direction: Direction): number | null {
  const match = /^(today|tomorrow|yesterday)?(?:^| |$)(.*)$/.exec(words);
  if (match === null) return null;
  const [, dayWord, clockWords = ''] = match;
  const today = wallTime(now, zone);
  if (dayWord === undefined) {
    const clock = readTimeOfDay(clockWords);
    return clock === null ? null : nextOrLast({ ...today, ...clock }, now, zone, direction);
  }
  const clock = clockWords === '' ? MIDNIGHT : readTimeOfDay(clockWords);
  if (clock === null) return null;
  return instantOf({ ...addDays(today, DAY_WORDS[dayWord] ?? 0), ...clock }, zone);
}

const DAY_WORDS: Readonly<Record<string, number>> = { today: 0, tomorrow: 1, yesterday: -1 };

type TimeOfDay = Pick<WallTime, 'hour' | 'minute' | 'second'>;

const MIDNIGHT: TimeOfDay = { hour: 0, minute: 0, second: 0 };
const NOON: TimeOfDay = { hour: 12, minute: 0, second: 0 };

function readTimeOfDay(words: string): TimeOfDay | null {
  if (words === 'midnight') return MIDNIGHT;
  if (words === 'noon') return NOON;
  const match = /^(\d{1,2})(?::(\d{2})(?::(\d{2}))?)? ?(am|pm)?$/.exec(words);
  if (match === null) return null;
  const half = match[4];
  if (match[2] === undefined && half === undefined) return null;
  let hour = Number(match[1]);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (half === 'pm' ? 12 : 0);
  }
  const clock = { hour, minute: Number(match[2] ?? 0), second: Number(match[3] ?? 0) };
  return isRealClock(clock) ? clock : null;
}

function nextOrLast(wall: WallTime, now: number, zone: string, direction: Direction): number {
  const at = instantOf(wall, zone);
  if (direction === 'ahead') return at > now ? at : instantOf(addDays(wall, 1), zone);
  return at <= now ? at : instantOf(addDays(wall, -1), zone);
}

function isRealClock({ hour, minute, second }: TimeOfDay): boolean {
  return hour < 24 && minute < 60 && second < 60;
}

function shiftMs(shift: string): number {
  const digits = shift.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (shift.startsWith('-') ? -minutes : minutes) * 60_000;
}
