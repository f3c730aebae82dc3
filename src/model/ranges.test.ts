import { describe, expect, test } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import {
  countOf,
  firstOf,
  formatRanges,
  fromIndices,
  hasIndex,
  indicesOf,
  lastOf,
  parseRanges,
  rangeOf,
  without,
} from './ranges.ts';

describe('ranges', () => {
  test.each([
    ['0-9', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['5', [5]],
    ['1-7:2', [1, 3, 5, 7]],
    ['1-8:2', [1, 3, 5, 7]],
    ['3,1,2,2', [1, 2, 3]],
    ['0-4,2-6', [0, 1, 2, 3, 4, 5, 6]],
  ])('%s means %j', (words, indices) => {
    expect([...indicesOf(parseRanges(words) ?? [])]).toEqual(indices);
  });

  test.each(['', '-', '3-1', '1-', 'a', '1-5:0', '1,,2', '1-5:', '9999999999'])(
    '%j means nothing',
    (words) => {
      expect(parseRanges(words)).toBeNull();
    },
  );

  test('a range with too many members is refused before it is made', () => {
    expect(parseRanges('0-999999999', 1000)).toBeNull();
  });

  test('ten thousand elements are three numbers', () => {
    expect(rangeOf(0, 9999)).toEqual([[0, 9999, 1]]);
    expect(countOf(rangeOf(0, 9999))).toBe(10_000);
    expect(without(rangeOf(0, 9999), 0)).toEqual([[1, 9999, 1]]);
  });

  test('is what a set of numbers would be', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 200; round++) {
      const model = new Set(Array.from({ length: random.between(0, 30) }, () => random.between(0, 60)));
      let set = fromIndices(random.shuffled([...model]));
      for (let step = 0; step < 20; step++) {
        const sorted = [...model].sort((a, b) => a - b);
        expect([...indicesOf(set)]).toEqual(sorted);
        expect(countOf(set)).toBe(model.size);
        expect(firstOf(set)).toBe(sorted[0] ?? null);
        expect(lastOf(set)).toBe(sorted.at(-1) ?? null);
        const probe = random.between(-1, 61);
        expect(hasIndex(set, probe)).toBe(model.has(probe));
        if (model.size > 0) expect([...indicesOf(parseRanges(formatRanges(set)) ?? [])]).toEqual(sorted);
        set = without(set, probe);
        model.delete(probe);
      }
    }
  });
});
