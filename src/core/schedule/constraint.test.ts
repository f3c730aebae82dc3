import { expect, test } from 'vitest';
import { parseConstraint } from './constraint.ts';

test.each([
  ['a', ['a'], true],
  ['a', ['b'], false],
  ['a&b', ['a', 'b'], true],
  ['a,b', ['a'], false],
  ['a|b', ['b'], true],
  ['!a', ['b'], true],
  ['!a', ['a'], false],
  ['a&!b|c', ['a'], true],
  ['a&(b|c)', ['a', 'c'], true],
  ['a&(b|c)', ['a'], false],
  [' a & b ', ['a', 'b'], true],
  ['gpu:a100', ['gpu:a100'], true],
  ['!!a', ['a'], true],
])('%j over %j is %s', (text, features, holds) => {
  expect(parseConstraint(text)?.(features)).toBe(holds);
});

test.each(['', '&', 'a&', '|a', '(a', 'a)', 'a b', '()', '!', 'a&&b', 'a$', '((a)'])(
  '%j is no constraint',
  (text) => {
    expect(parseConstraint(text)).toBeNull();
  },
);

test('a million brackets are refused, not followed', () => {
  expect(parseConstraint('('.repeat(1_000_000))).toBeNull();
  expect(parseConstraint('!'.repeat(1_000_000))).toBeNull();
});
