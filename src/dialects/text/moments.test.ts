import { describe, expect, it } from 'vitest';
import { isoUtc } from './calendar.ts';
import { parseMoment } from './moments.ts';
import { fromNow, fullTime, shortTime } from './times.ts';

/** 2026-03-10 14:20 UTC, which is 15:20 in Berlin. */
const NOW = 1_773_152_400_000;
const BERLIN = 'Europe/Berlin';

function ahead(text: string, zone = BERLIN): string | null {
  const at = parseMoment(text, NOW, zone, 'ahead');
  return at === null ? null : isoUtc(at).replace('.000Z', 'Z');
}

function behind(text: string): string | null {
  const at = parseMoment(text, NOW, BERLIN, 'behind');
  return at === null ? null : isoUtc(at).replace('.000Z', 'Z');
}

describe('moments ahead', () => {
  it('are read from a time of day, today or tomorrow', () => {
    expect(ahead('16:00')).toBe('2026-03-10T15:00:00Z');
    expect(ahead('08:00:30')).toBe('2026-03-11T07:00:30Z');
    expect(ahead('4pm')).toBe('2026-03-10T15:00:00Z');
    expect(ahead('noon')).toBe('2026-03-11T11:00:00Z');
    expect(ahead('midnight')).toBe('2026-03-10T23:00:00Z');
  });

  it('are read from days', () => {
    expect(ahead('tomorrow 08:00')).toBe('2026-03-11T07:00:00Z');
    expect(ahead('  Tomorrow   8:00 ')).toBe('2026-03-11T07:00:00Z');
    expect(ahead('today 08:00')).toBe('2026-03-10T07:00:00Z');
    expect(ahead('tomorrow')).toBe('2026-03-10T23:00:00Z');
  });

  it('are read from durations', () => {
    expect(ahead('now')).toBe('2026-03-10T14:20:00Z');
    expect(ahead('+2h')).toBe('2026-03-10T16:20:00Z');
    expect(ahead('1h30m')).toBe('2026-03-10T15:50:00Z');
    expect(ahead('now+1hour')).toBe('2026-03-10T15:20:00Z');
    expect(ahead('now + 30 minutes')).toBe('2026-03-10T14:50:00Z');
    expect(ahead('now+2days')).toBe('2026-03-12T14:20:00Z');
  });

  it('are read from dates, in the zone of the caller or the one that is written', () => {
    expect(ahead('2026-11-16T08:00')).toBe('2026-11-16T07:00:00Z');
    expect(ahead('2026-07-16 08:00:15')).toBe('2026-07-16T06:00:15Z');
    expect(ahead('2026-11-16')).toBe('2026-11-15T23:00:00Z');
    expect(ahead('2026-11-16T08:00Z')).toBe('2026-11-16T08:00:00Z');
    expect(ahead('2026-11-16T08:00-05:00')).toBe('2026-11-16T13:00:00Z');
  });

  it('keep the wall clock when the clocks change in between', () => {
    // On 29 March the clocks go forward: 08:00 is an hour earlier in UTC than the day before.
    const saturday = parseMoment('2026-03-28T12:00', NOW, BERLIN, 'ahead') as number;
    expect(isoUtc(parseMoment('tomorrow 08:00', saturday, BERLIN, 'ahead') as number)).toBe(
      '2026-03-29T06:00:00.000Z',
    );
  });

  it('are refused when they are none', () => {
    const none = [
      '',
      'soon',
      '25:00',
      '12:60',
      '2026-02-30',
      '2026-13-01T08:00',
      '90',
      '+',
      'now 2h',
      '13pm',
    ];
    for (const text of [...none, 'tomorrow 99', '\udc80', 'now+', '+constructor', '1e9h', 'todayx']) {
      expect([text, ahead(text)]).toEqual([text, null]);
    }
  });
});

describe('moments behind', () => {
  it('look back', () => {
    expect(behind('2d')).toBe('2026-03-08T14:20:00Z');
    expect(behind('2 hours ago')).toBe('2026-03-10T12:20:00Z');
    expect(behind('-1h')).toBe('2026-03-10T13:20:00Z');
    expect(behind('yesterday')).toBe('2026-03-08T23:00:00Z');
    expect(behind('yesterday 08:00')).toBe('2026-03-09T07:00:00Z');
    expect(behind('16:00')).toBe('2026-03-09T15:00:00Z');
    expect(behind('today')).toBe('2026-03-09T23:00:00Z');
  });
});

describe('times for people', () => {
  it('say no more of the date than is needed', () => {
    const hour = 3_600_000;
    expect(shortTime(NOW, NOW, BERLIN)).toBe('15:20');
    expect(shortTime(NOW + 12 * hour, NOW, BERLIN)).toBe('tomorrow 03:20');
    expect(shortTime(NOW - 24 * hour, NOW, BERLIN)).toBe('2026-03-09 15:20');
    expect(fullTime(NOW, BERLIN)).toBe('2026-03-10 15:20:00');
  });

  it('say how far away they are', () => {
    expect(fromNow(NOW + 720_000, NOW)).toBe('in 12m');
    expect(fromNow(NOW - 4_000, NOW)).toBe('4s ago');
    expect(fromNow(NOW + 200, NOW)).toBe('now');
  });
});
