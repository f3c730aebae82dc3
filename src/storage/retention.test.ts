import { describe, expect, test } from 'vitest';
import { type Keepable, newestFirst, type RetentionRules, toRetire } from './retention.ts';
import { readName } from './unit-names.ts';

const NOW = 1_000_000;

function kept(name: string, more: Partial<Keepable> = {}): Keepable {
  const { step, family, isBest } = readName(name);
  const writtenAt = step ?? 0;
  return {
    name,
    kind: 'file',
    step,
    family,
    isBest,
    writtenAt,
    keptAt: NOW,
    clockShiftMs: 0,
    files: [],
    ...more,
  };
}

function linkTo(name: string, link: string): Keepable {
  const file = { path: name, size: 1, sha256: '', mode: 0, mtimeMs: 0, link };
  return kept(name, { kind: 'pointer', files: [file], writtenAt: NOW });
}

const names = (entries: readonly Keepable[]) => entries.map(({ name }) => name);

function retired(entries: readonly Keepable[], rules: Partial<RetentionRules>): readonly string[] {
  return names(toRetire(entries, { keepCount: null, keepForMs: null, now: NOW, ...rules }));
}

describe('how many are kept', () => {
  test('of each family, the newest', () => {
    const entries = [1, 2, 3, 4].flatMap((step) => [kept(`a_step_${step}`), kept(`b_step_${step}`)]);
    expect(retired(entries, { keepCount: 2 })).toEqual(['b_step_2', 'a_step_2', 'b_step_1', 'a_step_1']);
    expect(retired(entries, {})).toEqual([]);
  });

  test('of what is one of its own, all', () => {
    expect(retired([kept('last.pt'), kept('model.pt'), kept('step_9')], { keepCount: 1 })).toEqual([]);
  });

  test('is never less than the newest one, the best ones and those that a link leads to', () => {
    const entries = [
      ...[1, 2, 3, 4, 5].map((step) => kept(`step_${step}`)),
      kept('best_step_2'),
      kept('best_step_3'),
      linkTo('best', './step_1'),
      linkTo('last', 'step_4/weights'),
    ];
    expect(retired(entries, { keepCount: 0 })).toEqual(['step_3', 'step_2']);
  });

  test('counts the files of a group that a link leads to', () => {
    const file = { path: 'model.ckpt-1.index', size: 1, sha256: '', mode: 0, mtimeMs: 0 };
    const entries = [
      kept('model.ckpt-1', { kind: 'group', files: [file] }),
      kept('model.ckpt-2', { kind: 'group' }),
      kept('model.ckpt-3', { kind: 'group' }),
      linkTo('best', 'model.ckpt-1.index'),
    ];
    expect(retired(entries, { keepCount: 1 })).toEqual(['model.ckpt-2']);
  });
});

describe('how long they are kept', () => {
  test('is told from when they were safe, and the newest stays', () => {
    const entries = [
      kept('step_1', { keptAt: NOW - 5000 }),
      kept('step_2', { keptAt: NOW - 1000 }),
      kept('step_3', { keptAt: NOW - 9000 }),
    ];
    expect(retired(entries, { keepForMs: 2000 })).toEqual(['step_1']);
    expect(retired(entries, { keepForMs: 0 })).toEqual(['step_2', 'step_1']);
  });

  test('does not count for settings beside them', () => {
    expect(retired([kept('config.json', { keptAt: 0 }), kept('step_1')], { keepForMs: 10 })).toEqual([]);
  });
});

describe('newer', () => {
  test('is what was written later, also with a lower step', () => {
    const entries = [kept('step_9', { writtenAt: 100 }), kept('step_3', { writtenAt: 200 }), kept('last.pt')];
    expect(names(newestFirst(entries))).toEqual(['step_3', 'step_9', 'last.pt']);
  });

  test('is the higher step when both were written at once', () => {
    const same = { writtenAt: 5 };
    expect(names(newestFirst([kept('step_9', same), kept('step_10', same)]))).toEqual(['step_10', 'step_9']);
  });

  test('is not what claims to come from the future', () => {
    const future = kept('step_1', { writtenAt: NOW * 9, keptAt: 100 });
    expect(names(newestFirst([future, kept('step_2', { writtenAt: 200 })]))).toEqual(['step_2', 'step_1']);
  });

  test('is what was written after the clock was set back', () => {
    const before = kept('step_1', { writtenAt: 5000, keptAt: 5000 });
    const after = kept('step_2', { writtenAt: 1000, keptAt: 1001, clockShiftMs: 4500 });
    expect(names(newestFirst([before, after]))).toEqual(['step_2', 'step_1']);
  });
});
