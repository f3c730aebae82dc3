import { describe, expect, it } from 'vitest';
import { rangeText, readTaskRange, readTaskSuffix } from './task-ranges.ts';

describe('a range of tasks', () => {
  it('is one number, or a first and a last one with a step', () => {
    expect(readTaskRange('3')).toEqual({ ok: true, tasks: [[3, 3, 1]] });
    expect(readTaskRange('1-5')).toEqual({ ok: true, tasks: [[1, 5, 1]] });
    expect(readTaskRange('1-9:3')).toEqual({ ok: true, tasks: [[1, 7, 3]] });
    expect(readTaskRange('1,3')).toEqual({ ok: true, tasks: [[1, 3, 2]] });
  });

  it('is turned round when it runs backwards, and has no use for a step without an end', () => {
    expect(readTaskRange('4-3')).toEqual({ ok: true, tasks: [[3, 4, 1]] });
    expect(readTaskSuffix('2:2')).toEqual([[2, 2, 1]]);
  });

  it.each([
    ['', ['-t option must have a list of task id ranges']],
    ['1,2,5', ['-t option only allows one range specification']],
    ['x', ['Numerical value invalid!', 'The initial portion of string "x" contains no decimal number']],
    ['1-3:0', ['Negative or zero step in range is not allowed']],
    ['1-', []],
    ['1x', []],
  ])('is refused in the words of the original: %j', (text, lines) => {
    expect(readTaskRange(text)).toEqual({ ok: false, lines });
  });

  it('is said in full where it has nothing in it', () => {
    expect(rangeText([[20, 22, 1]])).toBe('20-22:1');
  });
});
