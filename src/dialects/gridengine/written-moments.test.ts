import { describe, expect, it } from 'vitest';
import { NOW } from '../fake-yard.ts';
import { isoUtc } from '../text/calendar.ts';
import { readMoment } from './written-moments.ts';

function read(text: string): string {
  const moment = readMoment(text, NOW, 'UTC');
  return moment.ok ? isoUtc(moment.at).slice(0, 19) : moment.complaint;
}

describe('a moment', () => {
  it.each([
    ['11161859', '2026-11-16T18:59:00'],
    ['11161859.30', '2026-11-16T18:59:30'],
    ['11161859.', '2026-11-16T18:59:00'],
    ['1611161859', '2016-11-16T18:59:00'],
    ['7011161859', '1970-11-16T18:59:00'],
    ['6911161859', '2069-11-16T18:59:00'],
    ['203011161859', '2030-11-16T18:59:00'],
    ['02300000', '2026-03-02T00:00:00'],
  ])('is read: %s', (text, at) => {
    expect(read(text)).toBe(at);
  });

  it.each([
    ['', 'no date specified'],
    ['1', 'Invalid format of date/hour-minute field.'],
    ['1116185x', 'Invalid format of date/hour-minute field.'],
    ['11161859.5', 'Invalid format of seconds field.'],
    ['11161859.555', 'Invalid format of seconds field.'],
    ['00010000', 'Invalid month specification.'],
    ['11320000', 'Invalid day specification.'],
    ['11162500', 'Invalid hour specification.'],
    ['11161260', 'Invalid minute specification.'],
    ['11161230.60', 'Invalid seconds specification.'],
    ['196911161230', "Couldn't generate date from input. Perhaps a date before 1970 was specified."],
  ])('is refused: %s', (text, complaint) => {
    expect(read(text)).toBe(complaint);
  });
});
