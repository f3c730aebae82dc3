import { describe, expect, it } from 'vitest';
import { parseRanges, type RangeSet } from '../../model/ranges.ts';
import { taskListLength, taskListText } from './task-list.ts';

function tasks(text: string): RangeSet {
  return parseRanges(text) as RangeSet;
}

describe('the list of tasks', () => {
  it('has runs and single numbers, never steps', () => {
    expect(taskListText(tasks('1-4'))).toBe('1-4');
    expect(taskListText(tasks('1-9:2'))).toBe('1,3,5,7,9');
    expect(taskListText(tasks('1,5-6,10-24:7'))).toBe('1,5-6,10,17,24');
    expect(taskListText(tasks('3'))).toBe('3');
    expect(taskListText([])).toBe('');
  });

  it('is cut as the original cuts it', () => {
    const long = tasks('1,5-6,10-1400:7');
    expect(taskListText(long)).toBe('1,5-6,10,17,24,31,38,45,52,59,66,73,80,87,94,101,108,115,122...');
    expect(taskListText(long, 3)).toBe('..');
    expect(taskListText(long, 5)).toBe('1...');
    expect(taskListText(long, 16)).toBe('1,5-6,10,17,...');
    expect(taskListText(long, 0)).toMatch(/,1389,1396$/);
    expect(taskListText(tasks('1-9:2'), 10)).toBe('1,3,5,7,9');
    expect(taskListText(tasks('1-9:2'), 9)).toBe('1,3,5...');
  });

  it('is as long as the environment asks for', () => {
    expect(taskListLength(null)).toBe(64);
    expect(taskListLength('100')).toBe(100);
    expect(taskListLength('-1')).toBe(64);
    expect(taskListLength('')).toBe(0);
    expect(taskListLength('x')).toBe(0);
  });
});
