import { describe, expect, it } from 'vitest';
import { bytesFromText, textFromBytes } from '../model/bytes.ts';
import { keepVariables, variableOf, variablesNamed, withVariable } from './environment.ts';

const NOT_UTF8 = Uint8Array.from([0x58, 0x3d, 0xff, 0xfe, 0x0a, 0x00]);
const environment = Uint8Array.from([...bytesFromText('A=1\0B=x=y\0EMPTY=\0odd\0'), ...NOT_UTF8]);

describe('environment', () => {
  it('finds values, also those with = or nothing in them', () => {
    expect(variableOf(environment, 'B')).toBe('x=y');
    expect(variableOf(environment, 'EMPTY')).toBe('');
    expect(variableOf(environment, 'X')).toBe('\udcff\udcfe\n');
    expect(variableOf(environment, 'C')).toBeNull();
  });

  it('finds several at once', () => {
    const names = new Set(['B', 'X', 'C', 'EMPT', 'odd']);
    expect([...variablesNamed(environment, names)]).toEqual([
      ['B', 'x=y'],
      ['odd', 'odd'],
      ['X', '\udcff\udcfe\n'],
    ]);
    expect(variablesNamed(bytesFromText('A=1\0A=2'), new Set(['A'])).get('A')).toBe('1');
    expect(variableOf(bytesFromText('A=1\0A=2'), 'A')).toBe('1');
    expect(variableOf(bytesFromText('AB=1\0A'), 'A')).toBeNull();
  });

  it('sets a variable and leaves the rest byte for byte', () => {
    const changed = withVariable(environment, 'A', 'naïve\udcff');
    expect(variableOf(changed, 'A')).toBe('naïve\udcff');
    expect(changed.subarray(0, environment.length - 4)).toEqual(environment.subarray(4));
  });

  it('keeps only what is wanted', () => {
    const kept = keepVariables(environment, (name) => name === 'X' || name === 'B');
    expect(kept).toEqual(Uint8Array.from([...bytesFromText('B=x=y\0'), ...NOT_UTF8]));
    expect(textFromBytes(keepVariables(new Uint8Array(0), () => true))).toBe('');
  });
});
