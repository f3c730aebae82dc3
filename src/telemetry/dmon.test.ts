import { expect, test } from 'vitest';
import { type DmonReading, dmonHeader, dmonLines } from './dmon.ts';

const MIB = 1024 ** 2;
const AT = Date.UTC(2026, 2, 10, 23, 5, 9, 700);
const UTC = () => 0;
const busy: DmonReading = {
  index: 0,
  usedBytes: 39_018 * MIB,
  loadMillis: 834,
  temperatureC: 61,
  powerW: 251.4,
};
const silent: DmonReading = { index: 11, usedBytes: 0, loadMillis: null, temperatureC: null, powerW: null };

test('columns stand under their names', () => {
  expect(dmonHeader() + dmonLines([busy, silent], AT, UTC)).toBe(
    [
      '#Date       Time        gpu    pwr  gtemp     sm    mem      fb',
      '#YYYYMMDD   HH:MM:SS    Idx      W      C      %      %      MB',
      ' 20260310   23:05:09      0    251     61     83      -   39018',
      ' 20260310   23:05:09     11      -      -      -      -       0',
      '',
    ].join('\n'),
  );
});

test('times are those of the zone at that moment', () => {
  const offset = (atMs: number) => (atMs === AT ? 2 * 3_600_000 : 0);
  expect(dmonLines([busy], AT, offset).split(/\s+/).slice(1, 3)).toEqual(['20260311', '01:05:09']);
});

test('values that fill their columns are still told apart', () => {
  const huge = {
    index: 1_234_567,
    usedBytes: 123_456_789 * MIB,
    loadMillis: 1000,
    temperatureC: 1e7,
    powerW: 1e7,
  };
  expect(dmonLines([huge], AT, UTC).trim().split(/\s+/)).toEqual([
    '20260310',
    '23:05:09',
    '1234567',
    '10000000',
    '10000000',
    '100',
    '-',
    '123456789',
  ]);
});

test('nothing seen is no line', () => {
  expect(dmonLines([], AT, UTC)).toBe('');
});
