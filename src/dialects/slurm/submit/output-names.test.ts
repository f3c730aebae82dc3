import { describe, expect, it } from 'vitest';
import { defaultOutput, modelPattern } from './output-names.ts';

const BATCH = { isArray: false, step: 'batch' };
const ELEMENT = { isArray: true, step: 'batch' };

describe('file name patterns', () => {
  it.each([
    ['%x-%j.out', '%x-%j.out'],
    ['%4j', '%4j'],
    ['%12j', '%10j'],
    ['%J', '%j'],
    ['%N-%n-%t-%u-%s', '%N-%n-%t-%u-batch'],
    ['%5x', '%x'],
    ['%%j', '%%j'],
    ['%q', '%%q'],
    ['%r', '%%r'],
    ['a%', 'a%%'],
    ['%', '%%'],
    ['%03t', '%3t'],
    ['%A-%a', '%A-4294967294'],
    ['p7\\%j', 'p7%%j'],
    ['p8\\\\%j', 'p8\\%%j'],
    ['\\\\p9%j', '\\p9%%j'],
    ['plain', 'plain'],
  ])('%s', (text, pattern) => expect(modelPattern(text, BATCH)).toBe(pattern));

  it('know the elements of an array', () => {
    expect(modelPattern('%A_%3a-%b', ELEMENT)).toBe('%A_%3a-%b');
    expect(defaultOutput(true)).toBe('slurm-%A_%a.out');
    expect(defaultOutput(false)).toBe('slurm-%j.out');
  });

  it('name the step where there is one', () => {
    expect(modelPattern('job%J.%s', { isArray: false, step: '0' })).toBe('job%j.0.0');
  });
});
