import { describe, expect, it } from 'vitest';
import { momentText } from './moments.ts';
import { readMoment } from './written-moments.ts';

/** 2026-11-16T01:30:00 UTC, a Monday. */
const NOW = 1_794_792_600_000;

function read(text: string, direction: 'ahead' | 'behind' = 'behind'): string {
  const moment = readMoment(text, NOW, 'UTC', direction);
  return moment.ok ? momentText(moment.at, 'UTC') : `no: ${moment.position}`;
}

describe('a moment written for Slurm', () => {
  it.each([
    ['now', '2026-11-16T01:30:00'],
    ['now-1hour', '2026-11-16T00:30:00'],
    ['now-2 hours', '2026-11-15T23:30:00'],
    ['Now - 2 SECONDS', '2026-11-16T01:29:58'],
    ['now+1', '2026-11-16T01:30:01'],
    ['now-1weeks', '2026-11-09T01:30:00'],
    ['10:00', '2026-11-16T10:00:00'],
    ['1:02pm', '2026-11-16T13:02:00'],
    ['12:00AM', '2026-11-16T00:00:00'],
    ['00:50:30', '2026-11-16T00:50:30'],
    ['1116', '2026-11-16T00:00:00'],
    ['1116-00:50', '2026-11-16T00:50:00'],
    ['11.16', '2026-11-16T00:00:00'],
    ['11/16/26', '2026-11-16T00:00:00'],
    ['111626-10:00:05', '2026-11-16T10:00:05'],
    ['2026-11-16', '2026-11-16T00:00:00'],
    ['2026-11-16T00:50:10', '2026-11-16T00:50:10'],
    ['2026-11-16 1:02', '2026-11-16T01:02:00'],
    ['10:00-0105', '2026-01-05T10:00:00'],
    ['0230', '2026-03-02T00:00:00'],
    ['today', '2026-11-16T00:00:00'],
    ['midnight', '2026-11-16T00:00:00'],
    ['noon', '2026-11-16T12:00:00'],
    ['fika', '2026-11-16T15:00:00'],
    ['tomorrow 10:00', '2026-11-17T10:00:00'],
    ['10:00-tomorrow', '2026-11-17T10:00:00'],
    ['tomorrow', '2026-11-17T00:00:00'],
    ['', '1970-01-01T00:00:00'],
  ])('reads %s', (text, expected) => expect(read(text)).toBe(expected));

  it('takes a day without a year to be the last one when looking back, the next one when looking ahead', () => {
    expect(read('1231')).toBe('2025-12-31T00:00:00');
    expect(read('1231', 'ahead')).toBe('2026-12-31T00:00:00');
    expect(read('0105', 'ahead')).toBe('2027-01-05T00:00:00');
  });

  it('takes a time of day to be tomorrow when it has passed and looking ahead', () => {
    expect(read('01:00', 'ahead')).toBe('2026-11-17T01:00:00');
    expect(read('02:00', 'ahead')).toBe('2026-11-16T02:00:00');
    expect(read('01:00')).toBe('2026-11-16T01:00:00');
  });

  it.each([
    ['now+1hour', '2026-11-16T02:30:00'],
    ['now + 1 hour', '2026-11-16T02:30:00'],
    ['now+60', '2026-11-16T01:31:00'],
    ['16:00:30', '2026-11-16T16:00:30'],
    ['4:30pm', '2026-11-16T16:30:00'],
    ['midnight', '2026-11-17T00:00:00'],
    ['teatime tomorrow', '2026-11-17T16:00:00'],
    ['010127', '2027-01-01T00:00:00'],
    ['01/02', '2027-01-02T00:00:00'],
    ['01/02/27-12:00', '2027-01-02T12:00:00'],
    ['01/02-12:00', '2027-01-02T12:00:00'],
    ['16:00 11/20', '2026-11-20T16:00:00'],
    ['2020-01-01', '2020-01-01T00:00:00'],
    ['2027-01-02T03:04:05', '2027-01-02T03:04:05'],
  ])('begins a job %s', (text, expected) => expect(read(text, 'ahead')).toBe(expected));

  it.each([
    ['now+1min', 4],
    ['tomorrow+1', 8],
    ['bogus', 0],
    ['now-1h', 4],
    ['now-', 3],
    ['yesterday', 0],
    ['24:00', 0],
    ['13/01', 0],
    ['2026-1-5', 0],
    ['1794790485', 0],
    ['2026-11-16T10:00:00 10:00', 20],
  ])('refuses %s and says where', (text, position) => expect(read(text)).toBe(`no: ${position}`));
});
