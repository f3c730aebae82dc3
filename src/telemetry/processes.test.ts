import { expect, test } from 'vitest';
import { pageBytes } from '../platform/libc.ts';
import { residentBytes } from './processes.ts';

test('pages are added up and counted in bytes', () => {
  expect(residentBytes([{ rssPages: 3 }, { rssPages: 4 }])).toBe(7 * pageBytes());
  expect(residentBytes([])).toBe(0);
});
