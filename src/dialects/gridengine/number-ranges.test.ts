import { expect, it } from 'vitest';
import { readOneRange, readRange } from './number-ranges.ts';

const read = (text: string) => {
  const range = readOneRange(text);
  return range.ok ? `${range.value.first}-${range.value.last}:${range.value.step}` : range.lines.join('|');
};

it.each([
  ['5', '5-5:1'],
  ['5-1', '1-5:1'],
  ['1:3:2', '1-3:2'],
  ['2-9:3', '2-9:3'],
])('a range is read as it is written: %s', (text, range) => {
  expect(read(text)).toBe(range);
});

it.each([
  ['1,3', '1-3:2'],
  ['3,1', '1-3:2'],
  ['1,1', '1-1:1'],
  ['1,', '1-1:1'],
  ['1,,3', '1-3:2'],
  ['1-2,3-4', '1-4:1'],
  ['1-3,2-4', '1-4:1'],
  ['1,3,5-9:2', '1-9:2'],
])('several may be one together: %s', (text, range) => {
  expect(read(text)).toBe(range);
});

it.each(['1,2,5', '1-3,5', '1,2,5-7', '1-900000000,5-7'])('more than one are refused: %s', (text) => {
  expect(read(text)).toBe('-t option only allows one range specification');
});

const noNumber = (text: string) =>
  `Numerical value invalid!|The initial portion of string "${text}" contains no decimal number`;

it.each([
  ['x', noNumber('x')],
  ['1-x', noNumber('x')],
  ['5,x', noNumber('x')],
  ['-h', noNumber('h')],
  ['1-3:', noNumber('')],
  ['1-3:x', noNumber('x')],
  ['1-3x', 'Range specifier "3x" has unknown trailer "x"'],
  ['1-2-3', 'Range specifier "2-3" has unknown trailer "-3"'],
  ['-3', 'Range specifier "-3" has unknown trailer "3"'],
  ['1-3:0', 'Negative or zero step in range is not allowed'],
])('what is none is refused in the words of the original: %s', (text, lines) => {
  expect(read(text)).toBe(lines);
});

it('an end may be missing where that is allowed', () => {
  expect(readRange('4-', { endless: true })).toEqual({ ok: true, value: { first: 4, last: null, step: 1 } });
});
