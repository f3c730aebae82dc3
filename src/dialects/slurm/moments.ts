/** Points in time as Slurm prints them, in the caller's own zone. */

import { MONTHS, two, WEEKDAYS, wallTime, weekdayOf } from '../text/calendar.ts';

/** `2026-11-15T20:28:35`. */
export function momentText(at: number, zone: string): string {
  const { year, month, day, hour, minute, second } = wallTime(at, zone);
  return `${`${year}`.padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`;
}

/** `Sun Nov 15 20:28:38 2026`: the line above a long listing. */
export function headingText(at: number, zone: string): string {
  const wall = wallTime(at, zone);
  const weekday = WEEKDAYS[weekdayOf(wall)];
  const time = `${two(wall.hour)}:${two(wall.minute)}:${two(wall.second)}`;
  return `${weekday} ${MONTHS[wall.month - 1]} ${two(wall.day)} ${time} ${wall.year}`;
}
