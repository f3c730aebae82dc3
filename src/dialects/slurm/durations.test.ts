import { describe, expect, test } from 'vitest';
import { clockText, fullClockText, parseLimit, parseSpan } from './durations.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('reading', () => {
  test.each([
    ['10', 10 * MINUTE],
    ['0', 0],
    ['10:30', 10 * MINUTE + 30_000],
    ['24:00:00', DAY],
    ['1-12', DAY + 12 * HOUR],
    ['1-12:30', DAY + 12 * HOUR + 30 * MINUTE],
    ['2-00:00:05', 2 * DAY + 5000],
  ])('%s', (text, ms) => expect(parseSpan(text)).toBe(ms));

  test.each(['banana', '', '1:2:3:4', '1-', '-5', '1h', '10:', 'NaN'])('%j is no duration', (text) =>
    expect(parseSpan(text)).toBeNull(),
  );

  test.each(['UNLIMITED', 'infinite', '-1'])('%s is no limit at all', (text) =>
    expect(parseLimit(text)).toEqual({ limitMs: null }),
  );
});

describe('printing', () => {
  test.each([
    [3000, '0:03', '00:00:03'],
    [10 * MINUTE, '10:00', '00:10:00'],
    [HOUR, '1:00:00', '01:00:00'],
    [DAY + 2 * HOUR + 3 * MINUTE + 4999, '1-02:03:04', '1-02:03:04'],
  ])('%d ms', (ms, short, full) => {
    expect(clockText(ms)).toBe(short);
    expect(fullClockText(ms)).toBe(full);
  });
});
