/**
 * Points in time as people write them for Slurm: `now-1hour`, `16:00`, `1116-08:00`, `11/16/26`, `2026-11-16T08:00`,
 * `noon`, `tomorrow 10:00`. What is not said is filled in: a begin lies ahead, the start of a history behind. Reads
 * no clock.
 */

import { addDays, instantOf, isRealDate, type WallTime, wallTime } from '../text/calendar.ts';

export type WrittenMoment =
  | { readonly ok: true; readonly at: number }
  /** Where reading it came to an end. */
  | { readonly ok: false; readonly position: number };

interface Reading {
  year: number | null;
  date: { readonly month: number; readonly day: number } | null;
  time: { readonly hour: number; readonly minute: number; readonly second: number } | null;
  /** 0 today, 1 tomorrow; null when neither was said. */
  daysAhead: number | null;
}

const SECONDS_OF: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
};

const TIMES_OF_DAY: Readonly<Record<string, number>> = { midnight: 0, noon: 12, fika: 15, teatime: 16 };

/** As `sbatch --begin` and `sacct --starttime` read it. The empty text is the beginning of time. */
export function readMoment(
  text: string,
  now: number,
  zone: string,
  direction: 'ahead' | 'behind',
): WrittenMoment {
  if (text === '') return { ok: true, at: 0 };
  if (/^\s*now/i.test(text)) return readFromNow(text, now);
  const reading: Reading = { year: null, date: null, time: null, daysAhead: null };
  let position = 0;
  while (position < text.length) {
    const rest = text.slice(position);
    const length = /^(?:[\sT]+|-)/.exec(rest)?.[0].length ?? readWord(rest, reading);
    if (length === 0) return { ok: false, position };
    position += length;
  }
  if (reading.date === null && reading.time === null && reading.daysAhead === null) {
    return { ok: false, position: 0 };
  }
  return { ok: true, at: momentOf(reading, now, zone, direction) };
}

function readFromNow(text: string, now: number): WrittenMoment {
  const match = /^(\s*now\s*)(?:([+-]\s*)(?:(\d{1,9})\s*((?:second|minute|hour|day|week)s?)?\s*$)?)?/i.exec(
    text,
  );
  const [whole = '', base = '', sign, count, unit = 'second'] = match ?? [];
  if (sign === undefined)
    return whole === text ? { ok: true, at: now } : { ok: false, position: base.length };
  if (count === undefined) {
    const signOnly = base.length + sign.length === text.length;
    return { ok: false, position: signOnly ? base.length : base.length + sign.length };
  }
  const ms = Number(count) * (SECONDS_OF[unit.toLowerCase().replace(/s$/, '')] as number) * 1000;
  return { ok: true, at: sign.startsWith('+') ? now + ms : now - ms };
}

/** Gives how many characters it took; 0 when there is nothing that can be read. */
function readWord(rest: string, reading: Reading): number {
  const name = /^(?:today|tomorrow|midnight|noon|fika|teatime)/i.exec(rest)?.[0];
  if (name !== undefined) return readName(name.toLowerCase(), reading) ? name.length : 0;
  return readTime(rest, reading) || readDate(rest, reading);
}

function readName(name: string, reading: Reading): boolean {
  const hour = TIMES_OF_DAY[name];
  if (hour === undefined) {
    reading.daysAhead = name === 'tomorrow' ? 1 : 0;
    return true;
  }
  if (reading.time !== null) return false;
  reading.time = { hour, minute: 0, second: 0 };
  return true;
}

function readTime(rest: string, reading: Reading): number {
  const match = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([ap])m)?(?![\d:.])/i.exec(rest);
  if (match === null || reading.time !== null) return 0;
  const [whole, hours, minutes, seconds = '0', half] = match;
  const hour = halfDay(Number(hours), half);
  if (hour === null || hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return 0;
  reading.time = { hour, minute: Number(minutes), second: Number(seconds) };
  return whole.length;
}

function halfDay(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

const DATES: readonly RegExp[] = [
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?!\d)/,
  /^(?<month>\d{1,2})\/(?<day>\d{1,2})(?:\/(?<year>\d{2}|\d{4}))?(?![\d/])/,
  /^(?<month>\d{1,2})\.(?<day>\d{1,2})(?:\.(?<year>\d{2}|\d{4}))?(?![\d.])/,
  /^(?<month>\d{2})(?<day>\d{2})(?<year>\d{2})?(?!\d)/,
];

function readDate(rest: string, reading: Reading): number {
  if (reading.date !== null) return 0;
  for (const form of DATES) {
    const match = form.exec(rest);
    if (match === null) continue;
    const { year, month, day } = match.groups as { year?: string; month: string; day: string };
    if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > 31) return 0;
    reading.date = { month: Number(month), day: Number(day) };
    reading.year = year === undefined ? null : Number(year) + (year.length === 2 ? 2000 : 0);
    return match[0].length;
  }
  return 0;
}

function momentOf(reading: Reading, now: number, zone: string, direction: 'ahead' | 'behind'): number {
  const today = wallTime(now, zone);
  const time = reading.time ?? { hour: 0, minute: 0, second: 0 };
  if (reading.date === null) {
    const at = instantOf({ ...addDays(today, reading.daysAhead ?? 0), ...time }, zone);
    const isPast = direction === 'ahead' && reading.daysAhead === null && at < now;
    return isPast ? instantOf({ ...addDays(today, 1), ...time }, zone) : at;
  }
  const inYear = (year: number) => instantOf(realDay({ ...today, ...reading.date, ...time, year }), zone);
  if (reading.year !== null) return inYear(reading.year);
  const at = inYear(today.year);
  const startOfToday = instantOf({ ...today, hour: 0, minute: 0, second: 0 }, zone);
  if (direction === 'behind') return at > now ? inYear(today.year - 1) : at;
  return at < startOfToday ? inYear(today.year + 1) : at;
}

/** The 30th of February is two days after the 28th. */
function realDay(wall: WallTime): WallTime {
  if (isRealDate(wall.year, wall.month, wall.day)) return wall;
  return addDays({ ...wall, day: 1 }, wall.day - 1);
}
