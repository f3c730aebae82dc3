import { describe, expect, it } from 'vitest';
import type { JobView } from '../../model/query.ts';
import { aJob, anAttempt, aView, undisturbed } from '../fake-yard.ts';
import { jobFacts } from './job-facts.ts';
import { askedPriority, inOrder, prioritiesOf, urgencyOf } from './priorities.ts';

const waiting = (id: number, priority: number, changes: Partial<JobView> = {}) =>
  aView(aJob({ id }), { priority, ...changes });

const running = (id: number) => aView(aJob({ id, phase: 'active', attempt: anAttempt() }));
const held = (id: number) => aView(aJob({ id, phase: 'held', hold: { by: 'user', reason: null } }));

function priors(views: readonly JobView[]): readonly (readonly [number, number])[] {
  const priority = prioritiesOf(views);
  return undisturbed(inOrder(undisturbed(jobFacts(views)), priority)).map((facts) => [
    facts.number,
    priority(facts).prior,
  ]);
}

describe('priorities', () => {
  it('show the order of the yard', () => {
    expect(priors([waiting(1, 100), waiting(2, 300), waiting(3, 200)])).toEqual([
      [2, 0.75],
      [3, 0.5],
      [1, 0.25],
    ]);
  });

  it('are in the middle for one job alone, for equals, and for what runs', () => {
    expect(priors([waiting(1, 7)])).toEqual([[1, 0.5]]);
    expect(priors([waiting(2, 7), waiting(1, 7), running(3)])).toEqual([
      [1, 0.5],
      [2, 0.5],
      [3, 0.5],
    ]);
  });

  it('are nothing while a job cannot start', () => {
    const throttled = waiting(3, 100, { reason: { kind: 'throttle', allowed: 1 } });
    expect(priors([held(2), throttled, waiting(4, 100)])).toEqual([
      [4, 0.5],
      [2, 0],
      [3, 0],
    ]);
  });

  it('say what was asked for', () => {
    const asked = (words: Record<string, string>, priority = 0) =>
      askedPriority({ job: aJob({}, { priority, origin: { dialect: 'gridengine', words } }) });
    expect([asked({ priority: '-5' }), asked({}, 7), asked({}, 99_999), asked({ priority: 'x' })]).toEqual([
      -5, 7, 1024, 0,
    ]);
    const view = aView(aJob({}, { origin: { dialect: 'gridengine', words: { priority: '-5' } } }));
    expect(prioritiesOf([view])(undisturbed(jobFacts([view]))[0] as never).asked).toBeCloseTo(0.49756, 5);
  });

  it('split what the yard counts into waiting and the rest', () => {
    const parts = { age: 20, fairShare: 100, queue: 10, qos: 0, size: 0.4, asked: 0 };
    expect(urgencyOf({ total: 130.4, ...parts })).toEqual({ total: 130, request: 110, waiting: 20 });
    expect(urgencyOf(undefined).total).toBe(0);
  });
});
