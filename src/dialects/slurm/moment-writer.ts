/**
 * Points in time in the form that SLURM_TIME_FORMAT asks for: `standard`, `relative` to today, or the letters of
 * strftime. Knows no listing.
 */

import { addDays, DAY_MS, two, utcInstant, type WallTime, wallTime } from '../text/calendar.ts';
import { momentText } from './moments.ts';

export interface MomentWriter {
  readonly write: (at: number) => string;
  /** What to say about a form that cannot be used; null when it can. */
  readonly complaint: string | null;
}

/** Slurm keeps a time in 32 bytes, and makes it in 256. */
const LONGEST = 31;
const LONGEST_MADE = 255;

export function momentWriter(form: string | null, zone: string, now: number): MomentWriter {
  const standard = (at: number) => momentText(at, zone);
  if (form === null || form === '' || form === 'standard') return { write: standard, complaint: null };
  if (form === 'relative') return { write: (at) => relativeText(at, zone, now), complaint: null };
  const made = (at: number) => strftime(form, at, zone);
  if (!form.includes('%') || made(now).length > LONGEST_MADE)
    return { write: standard, complaint: `invalid SLURM_TIME_FORMAT = '${form}'` };
  return { write: (at) => made(at).slice(0, LONGEST), complaint: null };
}

function relativeText(at: number, zone: string, now: number): string {
  const today = wallTime(now, zone);
  const then = wallTime(at, zone);
  const days = dayNumber(then) - dayNumber(today);
  if (then.year !== today.year && Math.abs(days) > 6) return strftime('%-d %b %Y', at, zone);
  return strftime(relativeForm(days), at, zone);
}

function relativeForm(days: number): string {
  if (days === -1) return 'Ystday %H:%M';
  if (days === 0) return '%H:%M:%S';
  if (days === 1) return 'Tomorr %H:%M';
  return days < -1 || days > 6 ? '%-d %b %H:%M' : '%a %H:%M';
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

interface Reading extends WallTime {
  readonly at: number;
  readonly zone: string;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** 0 is the first of January. */
  readonly yearDay: number;
}

/** What is not known stays as it is. */
function strftime(form: string, at: number, zone: string): string {
  const wall = wallTime(at, zone);
  const day = dayNumber(wall);
  // The first of January 1970 was a Thursday.
  const weekday = (((day + 4) % 7) + 7) % 7;
  const yearDay = day - dayNumber({ ...wall, month: 1, day: 1 });
  const reading: Reading = { ...wall, at, zone, weekday, yearDay };
  return form.replace(/%(-?)([a-zA-Z%])/g, (said: string, plain: string, letter: string) => {
    const text = Object.hasOwn(LETTERS, letter) ? LETTERS[letter]?.(reading) : undefined;
    if (text === undefined) return said;
    return plain === '' ? text : text.replace(/^[0 ]+(?=.)/, '');
  });
}

const LETTERS: Readonly<Record<string, (reading: Reading) => string>> = {
  a: ({ weekday }) => (WEEKDAYS[weekday] as string).slice(0, 3),
  A: ({ weekday }) => WEEKDAYS[weekday] as string,
  b: ({ month }) => (MONTHS[month - 1] as string).slice(0, 3),
  B: ({ month }) => MONTHS[month - 1] as string,
  c: ({ at, zone }) => strftime('%a %b %e %H:%M:%S %Y', at, zone),
  C: ({ year }) => two(Math.floor(year / 100)),
  d: ({ day }) => two(day),
  D: ({ at, zone }) => strftime('%m/%d/%y', at, zone),
  e: ({ day }) => `${day}`.padStart(2),
  F: ({ at, zone }) => strftime('%Y-%m-%d', at, zone),
  g: (reading) => two(isoWeek(reading).year % 100),
  G: (reading) => `${isoWeek(reading).year}`,
  h: ({ month }) => (MONTHS[month - 1] as string).slice(0, 3),
  H: ({ hour }) => two(hour),
  I: ({ hour }) => two(hour % 12 === 0 ? 12 : hour % 12),
  j: ({ yearDay }) => `${yearDay + 1}`.padStart(3, '0'),
  k: ({ hour }) => `${hour}`.padStart(2),
  l: ({ hour }) => `${hour % 12 === 0 ? 12 : hour % 12}`.padStart(2),
  m: ({ month }) => two(month),
  M: ({ minute }) => two(minute),
  n: () => '\n',
  p: ({ hour }) => (hour < 12 ? 'AM' : 'PM'),
  r: ({ at, zone }) => strftime('%I:%M:%S %p', at, zone),
  R: ({ at, zone }) => strftime('%H:%M', at, zone),
  s: ({ at }) => `${Math.floor(at / 1000)}`,
  S: ({ second }) => two(second),
  t: () => '\t',
  T: ({ at, zone }) => strftime('%H:%M:%S', at, zone),
  u: ({ weekday }) => `${weekday === 0 ? 7 : weekday}`,
  U: ({ yearDay, weekday }) => two(Math.floor((yearDay + 7 - weekday) / 7)),
  V: (reading) => two(isoWeek(reading).week),
  w: ({ weekday }) => `${weekday}`,
  W: ({ yearDay, weekday }) => two(Math.floor((yearDay + 7 - ((weekday + 6) % 7)) / 7)),
  x: ({ at, zone }) => strftime('%m/%d/%y', at, zone),
  X: ({ at, zone }) => strftime('%H:%M:%S', at, zone),
  y: ({ year }) => two(year % 100),
  Y: ({ year }) => `${year}`,
  z: offsetText,
  Z: ({ zone }) => zone,
  '%': () => '%',
};

/** The week that has the Thursday, and the year which that Thursday is in. */
function isoWeek(reading: Reading): { readonly year: number; readonly week: number } {
  const thursday = addDays(reading, 3 - ((reading.weekday + 6) % 7));
  const yearDay = dayNumber(thursday) - dayNumber({ ...thursday, month: 1, day: 1 });
  return { year: thursday.year, week: Math.floor(yearDay / 7) + 1 };
}

function offsetText(reading: Reading): string {
  const minutes = Math.round((utcInstant(reading) - Math.floor(reading.at / 1000) * 1000) / 60_000);
  const absolute = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}${two(absolute % 60)}`;
}

function dayNumber({ year, month, day }: WallTime): number {
  return Math.round(utcInstant({ year, month, day, hour: 0, minute: 0, second: 0 }) / DAY_MS);
}
