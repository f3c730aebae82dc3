import { expect, test } from 'vitest';
import { curve, thinned } from './curve.ts';

test('a curve is as high as its numbers are of the highest, or of what is full', () => {
  expect(curve([0, 1, 4, 7])).toBe('▁▂▅█');
  expect(curve([1, 1], 7)).toBe('▂▂');
  expect(curve([9], 7)).toBe('█');
  expect(curve([0, 0])).toBe('▁▁');
  expect(curve([])).toBe('');
});

test('a thinned curve keeps its peaks', () => {
  expect(thinned([1, 2, 3], 3)).toEqual([1, 2, 3]);
  expect(thinned([1, 9, 3, 2, 0, 0], 3)).toEqual([9, 3, 0]);
  expect(thinned([1, 2, 3, 4, 5], 2)).toEqual([2, 5]);
});
