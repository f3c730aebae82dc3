import { describe, expect, it } from 'vitest';
import { nearest } from '../../model/nearest.ts';
import { parseSignal, signalName } from '../../model/signals.ts';
import { counted, listed, plainNumber, quoted } from './words.ts';

describe('words', () => {
  it('count and list', () => {
    expect(counted(1, 'job')).toBe('1 job');
    expect(counted(0, 'job')).toBe('0 jobs');
    expect(listed([])).toBe('');
    expect(listed(['a'])).toBe('a');
    expect(listed(['a', 'b', 'c'])).toBe('a, b and c');
    expect(listed(['a', 'b', 'c'], 2, 'or')).toBe('a, b or 1 more');
    expect(plainNumber(0.5)).toBe('0.5');
    expect(plainNumber(2)).toBe('2');
    expect(plainNumber(1 / 3)).toBe('0.33');
  });

  it('quote what users wrote so that it is safe and short', () => {
    expect(quoted('a\nb')).toBe('"a\\nb"');
    expect(quoted('x'.repeat(200)).length).toBeLessThan(90);
  });
});

describe('nearest', () => {
  it('finds slips of the finger', () => {
    const words = ['queue', 'queues', 'show', 'submit', 'history'];
    expect(nearest('qeue', words)).toEqual(['queue']);
    expect(nearest('sumbit', words)).toEqual(['submit']);
    expect(nearest('his', words)).toEqual(['history']);
    expect(nearest('xyzzy', words)).toEqual([]);
    expect(nearest('', words)).toEqual([]);
    expect(nearest('q'.repeat(100_000), words)).toEqual([]);
  });
});

describe('signals', () => {
  it('are read by name or number and named again', () => {
    expect(parseSignal('USR1')).toBe(10);
    expect(parseSignal('sigterm')).toBe(15);
    expect(parseSignal('9')).toBe(9);
    expect(parseSignal('0')).toBeNull();
    expect(parseSignal('65')).toBeNull();
    expect(parseSignal('NOPE')).toBeNull();
    expect(signalName(11)).toBe('SIGSEGV');
    expect(signalName(31)).toBe('SIGSYS');
    expect(signalName(40)).toBe('signal 40');
  });
});
