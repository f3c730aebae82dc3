import { describe, expect, test } from 'vitest';
import { hasEqual } from './finished-signs.ts';
import { type Unit, unitsOf } from './units.ts';

function file(name: string, size: number, seconds: number): Unit {
  const at = seconds * 1000;
  const entry = { path: name, size, mtimeMs: at, ctimeMs: at, ino: 1, link: null, mode: 0o600 };
  return unitsOf([{ ...entry, isDirectory: false, trouble: null }])[0] as Unit;
}

describe('another one of the same size', () => {
  const cut = file('step-3.raw', 4096, 300);
  const units = [file('step-1.raw', 5000, 100), file('step-2.raw', 5000, 200), cut];

  test('shows that both are whole, when they were written at different times', () => {
    expect(units.map((unit) => hasEqual(unit, units))).toEqual([true, true, false]);
  });

  test('shows nothing when the same kill may have cut both, or when it is of something else', () => {
    expect(hasEqual(cut, [...units, file('step-4.raw', 4096, 300.5)])).toBe(false);
    expect(hasEqual(cut, [...units, file('other-3.raw', 4096, 100)])).toBe(false);
    const empty = file('step-5.raw', 0, 300);
    expect(hasEqual(empty, [empty, file('step-6.raw', 0, 100)])).toBe(false);
  });
});
