import { describe, expect, it } from 'vitest';
import type { Dependencies, DependencyTerm } from '../../model/job-spec.ts';
import type { Reason } from '../../model/reason.ts';
import { aJob } from '../fake-yard.ts';
import { dependencyText } from './dependency-text.ts';

const AFTER_SIX: DependencyTerm = { kind: 'afterok', job: 6, index: null };
const PAIRED: DependencyTerm = { kind: 'aftercorrany', job: 4, index: null };
const AFTER_ELEMENT: DependencyTerm = { kind: 'after', job: 5, index: 2, delayMs: 600_000 };

function text(
  dependencies: Dependencies | null,
  reason: Reason | null,
  phase: 'held' | 'waiting' | 'pending' = 'waiting',
) {
  return dependencyText({ job: aJob({ phase }, { dependencies }), reason });
}

describe('what a job waits for', () => {
  it('is what has not come true yet', () => {
    const need = 'all';
    const unmet = [{ term: AFTER_SIX, other: { phase: 'active', outcome: null } }] as const;
    const dependencies = { need, terms: [AFTER_ELEMENT, AFTER_SIX] } as const;
    expect(text(dependencies, { kind: 'dependency', unmet, need })).toBe('afterok:6(unfulfilled)');
  });

  it('says what never will', () => {
    const unmet = [{ term: AFTER_SIX, other: { phase: 'ended', outcome: 'failed' } }] as const;
    expect(text({ need: 'all', terms: [AFTER_SIX] }, { kind: 'dependency', unmet, need: 'all' })).toBe(
      'afterok:6(failed)',
    );
  });

  it('is everything while the job is held', () => {
    const terms: DependencyTerm[] = [PAIRED, AFTER_SIX, AFTER_ELEMENT, { kind: 'singleton' }];
    const held: Reason = { kind: 'held', by: 'user', note: null };
    expect(text({ need: 'any', terms }, held, 'held')).toBe(
      'afterany:4(unfulfilled)?afterok:6(unfulfilled)?after:5_2+10(unfulfilled)?singleton(unfulfilled)',
    );
  });

  it('is nothing when only a time or a place is missing', () => {
    const terms = [AFTER_SIX];
    expect(text({ need: 'all', terms }, { kind: 'begin', at: 0 })).toBeNull();
    expect(text({ need: 'all', terms }, { kind: 'notLookedAt' }, 'pending')).toBeNull();
    expect(text(null, null)).toBeNull();
  });
});
