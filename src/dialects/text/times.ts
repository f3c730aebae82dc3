/** Moments as people read them: in their own zone, and no more of the date than they need. */

import { formatDuration } from '../../model/units.ts';
import { addDays, two, type WallTime, wallTime } from './calendar.ts';

/** `14:32` today, `tomorrow 08:00`, otherwise `2026-11-16 08:00`. */
export function shortTime(at: number, now: number, zone: string): string {
  const wall = wallTime(at, zone);
  const today = wallTime(now, zone);
  const time = `${two(wall.hour)}:${two(wall.minute)}`;
  if (sameDay(wall, today)) return time;
  if (sameDay(wall, addDays(today, 1))) return `tomorrow ${time}`;
  return `${dateText(wall)} ${time}`;
}

/** `2026-11-16 08:00:00`. */
export function fullTime(at: number, zone: string): string {
  const wall = wallTime(at, zone);
  return `${dateText(wall)} ${two(wall.hour)}:${two(wall.minute)}:${two(wall.second)}`;
}

/** `in 12m`, `4s ago`, `now`. */
export function fromNow(at: number, now: number): string {
  const away = Math.round((at - now) / 1000) * 1000;
  if (away === 0) return 'now';
  return away > 0 ? `in ${formatDuration(away)}` : `${formatDuration(-away)} ago`;
}

function dateText(wall: WallTime): string {
  return `${`${wall.year}`.padStart(4, '0')}-${two(wall.month)}-${two(wall.day)}`;
}

function sameDay(a: WallTime, b: WallTime): boolean {
  return a.year === b.year && a.month === b.month && a.day === b.day;
}
