/** Points in time as Slurm prints them, in the caller's own zone. */

import { two, wallTime } from '../text/calendar.ts';

/** `2026-11-15T20:28:35`. */
export function momentText(at: number, zone: string): string {
  const { year, month, day, hour, minute, second } = wallTime(at, zone);
  return `${`${year}`.padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Sun Nov 15 20:28:38 2026`: the line above a long listing. */
export function headingText(at: number, zone: string): string {
  const wall = wallTime(at, zone);
  const weekday = WEEKDAYS[weekdayOf(wall.year, wall.month, wall.day)];
  const time = `${two(wall.hour)}:${two(wall.minute)}:${two(wall.second)}`;
  return `${weekday} ${MONTHS[wall.month - 1]} ${two(wall.day)} ${time} ${wall.year}`;
}

/** Sakamoto's method: 0 is Sunday. */
function weekdayOf(year: number, month: number, day: number): number {
  const offsets = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
  const y = month < 3 ? year - 1 : year;
  const leaps = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400);
  return (y + leaps + (offsets[month - 1] as number) + day) % 7;
}
