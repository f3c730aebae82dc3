import { describe, expect, test } from 'vitest';
import { hasEquals } from './finished-signs.ts';
import { type Unit, unitsOf } from './units.ts';

function file(name: string, size: number, seconds: number): Unit {
  const at = seconds * 1000;
  const entry = { path: name, size, mtimeMs: at, ctimeMs: at, ino: 1, link: null, mode: 0o600 };
  return unitsOf([{ ...entry, isDirectory: false, trouble: null }])[0] as Unit;
}

describe('others of the same size', () => {
  const cut = file('step-4.raw', 4096, 400);
  const whole = [100, 200, 300].map((at) => file(`step-${at / 100}.raw`, 5000, at));
  const units = [...whole, cut];

  test('show that all are whole, when they were written at different times', () => {
    expect(units.map((unit) => hasEquals(unit, units))).toEqual([true, true, true, false]);
  });

  test('show nothing when there is one only: a kill may cut two at the same size', () => {
    expect(hasEquals(cut, [...units, file('step-5.raw', 4096, 500)])).toBe(false);
  });

  test('show nothing when the same kill may have cut them, or when they are of something else', () => {
    const atOnce = [file('step-5.raw', 4096, 400.3), file('step-6.raw', 4096, 400.6)];
    expect(hasEquals(cut, [...units, ...atOnce])).toBe(false);
    const others = [file('other-3.raw', 4096, 100), file('other-4.raw', 4096, 200)];
    expect(hasEquals(cut, [...units, ...others])).toBe(false);
    const empty = [100, 200, 300].map((at) => file(`step-${at}.raw`, 0, at));
    expect(hasEquals(empty[0] as Unit, empty)).toBe(false);
  });
});
