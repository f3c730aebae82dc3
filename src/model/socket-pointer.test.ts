import { expect, test } from 'vitest';
import { formatPointer, socketPathFrom } from './socket-pointer.ts';

const HERE = { dev: 2049n, ino: 2n ** 60n + 1n };
const LONGEST = `/${'ä'.repeat(53)}`;

test('what is written leads to the socket, from the same directory only', () => {
  const text = formatPointer('/run/yard.sock', HERE);
  expect(text).toBe('/run/yard.sock\n2049 1152921504606846977\n');
  expect(socketPathFrom(text, HERE)).toBe('/run/yard.sock');
  expect(socketPathFrom(text, { ...HERE, ino: HERE.ino + 1n })).toBeNull();
  expect(socketPathFrom(text, { ...HERE, dev: 2050n })).toBeNull();
});

test('one of an older version has the path alone', () => {
  expect(socketPathFrom('/run/yard.sock\n', HERE)).toBe('/run/yard.sock');
  expect(socketPathFrom('/run/yard.sock', HERE)).toBe('/run/yard.sock');
  expect(socketPathFrom(`${LONGEST}\n`, HERE)).toBe(LONGEST);
});

test.each(['', '\n', 'yard.sock\n', `${LONGEST}x\n`, '/run/\0\n', '/run/yard.sock\nanything else\n'])(
  'leads nowhere: %j',
  (text) => {
    expect(socketPathFrom(text, HERE)).toBeNull();
  },
);
