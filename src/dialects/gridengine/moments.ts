/** Points in time as Grid Engine prints them, in the caller's own zone. */

import { MONTHS, two, type WallTime, WEEKDAYS, wallTime, weekdayOf } from '../text/calendar.ts';

/** `11/15/2026 20:28:00`: in listings. */
export function listedMoment(at: number, zone: string): string {
  const wall = wallTime(at, zone);
  return `${two(wall.month)}/${two(wall.day)}/${four(wall.year)} ${clockText(wall)}`;
}

/** `Sun Nov 15 20:28:00 2026`: one job in full. */
export function fullMoment(at: number, zone: string): string {
  const wall = wallTime(at, zone);
  const day = `${wall.day}`.padStart(2);
  return `${WEEKDAYS[weekdayOf(wall)]} ${MONTHS[wall.month - 1]} ${day} ${clockText(wall)} ${four(wall.year)}`;
}

/** `2026-11-15T20:28:00`: in XML. */
export function xmlMoment(at: number, zone: string): string {
  const wall = wallTime(at, zone);
  return `${four(wall.year)}-${two(wall.month)}-${two(wall.day)}T${clockText(wall)}`;
}

/** Many jobs start in the same second, and finding out what a zone does takes longer than remembering it. */
export function remembering(
  write: (at: number, zone: string) => string,
  zone: string,
): (at: number) => string {
  const known = new Map<number, string>();
  return (at) => {
    const second = Math.floor(at / 1000);
    const before = known.get(second);
    if (before !== undefined) return before;
    const text = write(at, zone);
    known.set(second, text);
    return text;
  };
}

function clockText({ hour, minute, second }: WallTime): string {
  return `${two(hour)}:${two(minute)}:${two(second)}`;
}

function four(year: number): string {
  return `${year}`.padStart(4, '0');
}
