import { expect, test } from 'vitest';
import { createForeignReports } from './foreign-reports.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const seen = (bytes: number, index = 0, node = 'box') => ({ node, index, bytes, totalBytes: 16 * GIB });
const told = (node: string, ...foreign: readonly [number, number][]) => ({
  type: 'foreignUseSeen',
  node,
  foreign: foreign.map(([index, bytes]) => ({ index, bytes })),
});

test('every node is told of once, also when there is nobody', () => {
  const reports = createForeignReports(['box', 'other', 'blind']);
  expect(reports.after([seen(0), seen(3 * GIB, 0, 'other')])).toEqual([
    told('box'),
    told('other', [0, 3 * GIB]),
  ]);
  expect(reports.after([seen(0), seen(3 * GIB, 0, 'other')])).toEqual([]);
});

test('who comes is told of after two looks in a row, who goes at once', () => {
  const reports = createForeignReports(['box']);
  reports.after([seen(0), seen(0, 1)]);
  expect(reports.after([seen(2 * GIB), seen(0, 1)])).toEqual([]);
  expect(reports.isUnsure()).toBe(true);
  expect(reports.after([seen(0), seen(0, 1)])).toEqual([]);
  expect(reports.isUnsure()).toBe(false);
  reports.after([seen(2 * GIB), seen(0, 1)]);
  expect(reports.after([seen(3 * GIB), seen(0, 1)])).toEqual([told('box', [0, 3 * GIB])]);
  expect(reports.after([seen(0), seen(0, 1)])).toEqual([told('box')]);
});

test('little changes are none, and what is told is rounded', () => {
  const reports = createForeignReports(['box']);
  expect(reports.after([seen(2 * GIB + 7 * MIB)])).toEqual([told('box', [0, 2 * GIB])]);
  for (let look = 0; look < 3; look++) expect(reports.after([seen(2 * GIB + 160 * MIB)])).toEqual([]);
  reports.after([seen(2 * GIB + 190 * MIB)]);
  expect(reports.after([seen(2 * GIB + 190 * MIB)])).toEqual([told('box', [0, 2 * GIB + 192 * MIB])]);
});

test('a device that could not be looked at stays as it was', () => {
  const reports = createForeignReports(['box']);
  reports.after([seen(2 * GIB), seen(0, 1)]);
  expect(reports.after([seen(0, 1)])).toEqual([]);
  reports.after([seen(0, 1), seen(2 * GIB)]);
  reports.after([seen(GIB, 1)]);
  expect(reports.after([seen(GIB, 1)])).toEqual([told('box', [0, 2 * GIB], [1, GIB])]);
});
