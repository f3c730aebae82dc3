import { describe, expect, test } from 'vitest';
import type { CheckpointNote } from '../model/keeping.ts';
import { isNewer } from './keeping.ts';

const note = (changes: Partial<CheckpointNote>): CheckpointNote => ({
  name: 'last.pt',
  step: null,
  bytes: 1,
  writtenAt: 1000,
  keptAt: 1000,
  ...changes,
});

describe('a checkpoint is newer', () => {
  test('than none, and than one written before it', () => {
    expect(isNewer(note({}), undefined)).toBe(true);
    expect(isNewer(note({ writtenAt: 1001 }), note({ name: 'a' }))).toBe(true);
    expect(isNewer(note({ writtenAt: 999, name: 'b' }), note({ name: 'a' }))).toBe(false);
    expect(isNewer(note({}), note({ keptAt: 5 }))).toBe(false);
  });

  test('also when the clock was set back in between', () => {
    expect(isNewer(note({ name: 'b', step: 20, writtenAt: 5 }), note({ name: 'a', step: 10 }))).toBe(true);
    expect(isNewer(note({ name: 'b', step: 10, writtenAt: 5 }), note({ name: 'a', step: 20 }))).toBe(false);
    expect(isNewer(note({ writtenAt: 5 }), note({}))).toBe(true);
  });

  test('when it begins anew, from an earlier step', () => {
    expect(isNewer(note({ step: 1, writtenAt: 2000 }), note({ step: 900 }))).toBe(true);
  });
});
