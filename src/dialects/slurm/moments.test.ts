import { expect, test } from 'vitest';
import { headingText, momentText } from './moments.ts';

const AT = 1_794_774_518_000;

test('a moment in the zone of whoever asks', () => {
  expect(momentText(AT, 'UTC')).toBe('2026-11-15T20:28:38');
  expect(momentText(AT, 'Europe/Berlin')).toBe('2026-11-15T21:28:38');
});

test('the line above a long listing knows its weekday', () => {
  expect(headingText(AT, 'UTC')).toBe('Sun Nov 15 20:28:38 2026');
  expect(headingText(AT + 86_400_000 * 108, 'UTC')).toBe('Wed Mar 03 20:28:38 2027');
});
