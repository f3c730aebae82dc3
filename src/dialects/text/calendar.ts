/**
 * Calendar arithmetic on milliseconds since 1970 and IANA zone names, with Intl as the only source of what a
 * zone does. No clock is read here.
 */

/** A wall clock reading. Months and days count from 1. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export const DAY_MS = 86_400_000;
/** The years that people write with four digits. */
const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_300_799_999;
/** Zone names come from outside in any spelling: the cache is emptied before it grows. */
const MOST_CACHED_ZONES = 64;

const formats = new Map<string, Intl.DateTimeFormat>();

/** What a clock on the wall in that zone shows. A zone that nobody knows counts as UTC. */
export function wallTime(at: number, zone: string): WallTime {
  const fields: Record<string, number> = {};
  for (const part of formatOf(zone).formatToParts(withinCalendar(at))) {
    if (part.type !== 'literal') fields[part.type] = Number(part.value);
  }
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields;
  return { year, month, day, hour, minute, second };
}

/**
 * When that zone's wall clock shows this. A reading that comes twice (the hour repeated in autumn) means the
 * first; one that never comes (the hour skipped in spring) means as much later as the clock was put forward.
 */
export function instantOf(wall: WallTime, zone: string): number {
  const asUtc = utcInstant(wall);
  const before = offsetAt(asUtc - DAY_MS, zone);
  const after = offsetAt(asUtc + DAY_MS, zone);
  const fitting = [asUtc - before, asUtc - after].filter((at) => offsetAt(at, zone) === asUtc - at);
  return fitting.length > 0 ? Math.min(...fitting) : asUtc - before;
}

/** The reading taken as UTC. */
export function utcInstant(wall: WallTime): number {
  const seconds = (wall.hour * 60 + wall.minute) * 60 + wall.second;
  return daysSinceEpoch(wall.year, wall.month, wall.day) * DAY_MS + seconds * 1000;
}

/** The same wall clock time on another day. */
export function addDays(wall: WallTime, days: number): WallTime {
  const date = dateOfDay(daysSinceEpoch(wall.year, wall.month, wall.day) + days);
  return { ...wall, ...date };
}

export function isRealDate(year: number, month: number, day: number): boolean {
  const back = dateOfDay(daysSinceEpoch(year, month, day));
  return back.year === year && back.month === month && back.day === day;
}

/** `2026-11-16T07:00:00.000Z`: what programs read. */
export function isoUtc(at: number): string {
  const whole = Math.round(withinCalendar(at));
  const day = Math.floor(whole / DAY_MS);
  const { year, month, day: dayOfMonth } = dateOfDay(day);
  const ms = whole - day * DAY_MS;
  const time = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  const clock = time.map((part) => `${part}`.padStart(2, '0')).join(':');
  const date = [`${year}`.padStart(4, '0'), two(month), two(dayOfMonth)].join('-');
  return `${date}T${clock}.${`${ms % 1000}`.padStart(3, '0')}Z`;
}

export function two(value: number): string {
  return `${value}`.padStart(2, '0');
}

export const WEEKDAYS: readonly string[] = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
export const MONTHS: readonly string[] = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
];

/** 0 is Sunday; the first of January 1970 was a Thursday. */
export function weekdayOf({ year, month, day }: Pick<WallTime, 'year' | 'month' | 'day'>): number {
  return (((daysSinceEpoch(year, month, day) + 4) % 7) + 7) % 7;
}

function offsetAt(at: number, zone: string): number {
  const whole = Math.floor(at / 1000) * 1000;
  return utcInstant(wallTime(whole, zone)) - whole;
}

function withinCalendar(at: number): number {
  return Math.min(LAST_MS, Math.max(FIRST_MS, at));
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  if (formats.size >= MOST_CACHED_ZONES) formats.clear();
  const made = makeFormat(zone);
  formats.set(zone, made);
  return made;
}

function makeFormat(zone: string): Intl.DateTimeFormat {
  const fields = {
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...fields, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat('en-US', { ...fields, timeZone: 'UTC' });
  }
}

/** Days before (negative) or after 1970-01-01, counting years from March so that leap days come last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function dateOfDay(days: number): Pick<WallTime, 'year' | 'month' | 'day'> {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}
