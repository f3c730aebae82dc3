import { describe, expect, it } from 'vitest';
import { addDays, DAY_MS, instantOf, isoUtc, isRealDate, utcInstant, wallTime } from './calendar.ts';

function wall(text: string) {
  const [year, month, day, hour, minute, second] = text.split(/[-T:]/).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { year, month, day, hour, minute, second };
}

describe('zones', () => {
  it('reads the wall clock of a zone, with and without summer time', () => {
    const winter = utcInstant(wall('2026-01-15T12:00:00'));
    const summer = utcInstant(wall('2026-07-15T12:00:00'));
    expect(wallTime(winter, 'Europe/Berlin')).toEqual(wall('2026-01-15T13:00:00'));
    expect(wallTime(summer, 'Europe/Berlin')).toEqual(wall('2026-07-15T14:00:00'));
    expect(wallTime(summer, 'Asia/Kathmandu')).toEqual(wall('2026-07-15T17:45:00'));
  });

  it('counts a zone that nobody knows as UTC', () => {
    const at = utcInstant(wall('2026-01-15T12:00:00'));
    for (const zone of ['', 'Nowhere/Atall', ':/etc/localtime', '\udc80']) {
      expect(wallTime(at, zone)).toEqual(wall('2026-01-15T12:00:00'));
    }
  });

  it('finds the instant of a reading, and back', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia']) {
      for (let day = 0; day < 730; day += 7) {
        const at = utcInstant(wall('2026-01-01T15:30:00')) + day * DAY_MS;
        expect(instantOf(wallTime(at, zone), zone)).toBe(at);
      }
    }
  });

  it('moves a reading in the skipped hour as far as the clock was put forward', () => {
    const skipped = instantOf(wall('2026-03-29T02:30:00'), 'Europe/Berlin');
    expect(wallTime(skipped, 'Europe/Berlin')).toEqual(wall('2026-03-29T03:30:00'));
  });

  it('takes the first of the two when an hour is repeated', () => {
    const first = instantOf(wall('2026-10-25T02:30:00'), 'Europe/Berlin');
    expect(isoUtc(first)).toBe('2026-10-25T00:30:00.000Z');
  });
});

describe('dates', () => {
  it('are written as programs read them', () => {
    const known: readonly [number, string][] = [
      [0, '1970-01-01T00:00:00.000Z'],
      [-1, '1969-12-31T23:59:59.999Z'],
      [951_782_400_000, '2000-02-29T00:00:00.000Z'],
      [1_773_152_400_123, '2026-03-10T14:20:00.123Z'],
      [4_102_444_799_999, '2099-12-31T23:59:59.999Z'],
      [-2_208_988_800_000, '1900-01-01T00:00:00.000Z'],
    ];
    for (const [at, text] of known) expect(isoUtc(at)).toBe(text);
  });

  it('stay within four digits of year, whatever the number', () => {
    expect(isoUtc(Number.MAX_VALUE)).toBe('9999-12-31T23:59:59.999Z');
    expect(isoUtc(-Number.MAX_VALUE)).toBe('0001-01-01T00:00:00.000Z');
  });

  it('know leap years', () => {
    expect(isRealDate(2024, 2, 29)).toBe(true);
    expect(isRealDate(2026, 2, 29)).toBe(false);
    expect(isRealDate(2026, 13, 1)).toBe(false);
    expect(addDays(wall('2024-02-28T08:00:00'), 2)).toEqual(wall('2024-03-01T08:00:00'));
  });
});
