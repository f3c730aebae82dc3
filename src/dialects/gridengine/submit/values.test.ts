import { expect, it } from 'vitest';
import {
  parseBoolean,
  parseMemoryBytes,
  parseSlotRange,
  parseTaskRange,
  parseTimeMs,
  parseYesNo,
  splitList,
} from './values.ts';

it('yes and no have a short and a long form, in any spelling', () => {
  expect(['y', 'YES', 'n', 'No', 'maybe', ''].map(parseYesNo)).toEqual([
    true,
    true,
    false,
    false,
    null,
    null,
  ]);
});

it('a time is seconds, or hours, minutes and seconds of which each may be left out', () => {
  expect(['3600', '1:0:0', ':10:', '1::1', '00:90:00', '0x10', '1.5'].map(parseTimeMs)).toEqual([
    3_600_000, 3_600_000, 600_000, 3_601_000, 5_400_000, 16_000, 1500,
  ]);
  expect(['INFINITY', 'infinity'].map(parseTimeMs)).toEqual(['unlimited', 'unlimited']);
  expect(['banana', '1:0', '1:0:0:0', '', '1h', '::x'].map(parseTimeMs)).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
});

it('memory counts by 1000 in small letters and by 1024 in large ones', () => {
  expect(['1k', '1K', '2m', '2M', '1.5G', '1g', '1t', '0x1M', '4096'].map(parseMemoryBytes)).toEqual([
    1000,
    1024,
    2e6,
    2 ** 21,
    1.5 * 2 ** 30,
    1e9,
    1e12,
    2 ** 20,
    4096,
  ]);
  expect(['1x', '1GB', 'G', ''].map(parseMemoryBytes)).toEqual([null, null, null, null]);
});

it('a boolean of -l is no yes or no', () => {
  expect(['TRUE', 'true', '1', 'FALSE', '0', 'y', 'maybe'].map(parseBoolean)).toEqual([
    true,
    true,
    true,
    false,
    false,
    null,
    null,
  ]);
});

function rangeOrLine<T>(
  parsed:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly complaint: { readonly lines: readonly string[] } },
): T | string {
  return parsed.ok ? parsed.value : parsed.complaint.lines.join('|');
}

it('tasks are one range, with its step after a colon', () => {
  const of = (text: string) => rangeOrLine(parseTaskRange(text));
  expect(of('1-10:2')).toEqual({ first: 1, last: 10, step: 2 });
  expect(of('1:10')).toEqual({ first: 1, last: 10, step: 1 });
  expect(of('1:10:2')).toEqual({ first: 1, last: 10, step: 2 });
  expect(of('5')).toEqual({ first: 5, last: 5, step: 1 });
  expect(of('5-1')).toEqual({ first: 1, last: 5, step: 1 });
  expect(of('1-10:0')).toBe('Negative or zero step in range is not allowed');
  expect(of('1-3,7')).toBe('-t option only allows one range specification');
  expect(of('x')).toBe(
    'Numerical value invalid!|The initial portion of string "x" contains no decimal number',
  );
  expect(of('-5')).toBe('Range specifier "-5" has unknown trailer "5"');
});

it('slots are ranges that may lack an end, or a beginning', () => {
  const of = (text: string) => rangeOrLine(parseSlotRange(text));
  expect(of('4')).toEqual([{ first: 4, last: 4, step: 1 }]);
  expect(of('4-2')).toEqual([{ first: 2, last: 4, step: 1 }]);
  expect(of('4-')).toEqual([{ first: 4, last: null, step: 1 }]);
  expect(of('-4')).toEqual([{ first: 1, last: 4, step: 1 }]);
  expect(of('2,4-8')).toEqual([
    { first: 2, last: 2, step: 1 },
    { first: 4, last: 8, step: 1 },
  ]);
  expect(of('2-4:2')).toBe('Range specifier "4:2" has unknown trailer ":2"');
  expect(of('x')).toContain('Numerical value invalid!');
});

it('a list is split at commas, except within quotes', () => {
  expect(splitList('a,,b=1,c="x,y",d=\'p,q\'')).toEqual(['a', 'b=1', 'c="x,y"', "d='p,q'"]);
  expect(splitList('a="b,c')).toEqual(['a="b', 'c']);
});
