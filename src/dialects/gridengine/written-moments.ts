/** Points in time as Grid Engine's options have them: `[[CC]YY]MMDDhhmm[.SS]`. What it is now, and where, is given. */

import { instantOf, wallTime } from '../text/calendar.ts';

export type ReadMoment =
  | { readonly ok: true; readonly at: number }
  | { readonly ok: false; readonly complaint: string };

/** A day that the month has not is one of the next. */
export function readMoment(text: string, now: number, zone: string): ReadMoment {
  if (text === '') return complain('no date specified');
  const [date = '', seconds = ''] = splitAt(text, '.');
  if (![8, 10, 12].includes(date.length) || /\D/.test(date))
    return complain('Invalid format of date/hour-minute field.');
  if (seconds !== '' && !/^\d\d$/.test(seconds)) return complain('Invalid format of seconds field.');
  const [month, day, hour, minute] = [8, 6, 4, 2].map((fromEnd) =>
    Number(date.slice(date.length - fromEnd, date.length - fromEnd + 2)),
  ) as [number, number, number, number];
  const second = Number(seconds);
  if (!within(month, 1, 12)) return complain('Invalid month specification.');
  if (!within(day, 1, 31)) return complain('Invalid day specification.');
  if (!within(hour, 0, 23)) return complain('Invalid hour specification.');
  if (!within(minute, 0, 59)) return complain('Invalid minute specification.');
  if (!within(second, 0, 59)) return complain('Invalid seconds specification.');
  const year = yearOf(date.slice(0, -8), now, zone);
  if (year < 1970)
    return complain("Couldn't generate date from input. Perhaps a date before 1970 was specified.");
  return { ok: true, at: instantOf({ year, month, day, hour, minute, second }, zone) };
}

/** Two digits are of this century up to 69, and of the last one after that. */
function yearOf(digits: string, now: number, zone: string): number {
  if (digits === '') return wallTime(now, zone).year;
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function within(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

function complain(complaint: string): ReadMoment {
  return { ok: false, complaint };
}
