import { describe, expect, test } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import { enter, newAgenda, nextAt, strike, takeDue } from './agenda.ts';

describe('the agenda', () => {
  test('gives each job once, at the earliest time entered for it', () => {
    const agenda = newAgenda();
    enter(agenda, 1, 50);
    enter(agenda, 1, 20);
    enter(agenda, 1, 30);
    enter(agenda, 2, 25);
    expect(nextAt(agenda)).toBe(20);
    expect(takeDue(agenda, 19)).toBeNull();
    expect(takeDue(agenda, 100)).toBe(1);
    expect(takeDue(agenda, 100)).toBe(2);
    expect(takeDue(agenda, 100)).toBeNull();
  });

  test('forgets what is struck off', () => {
    const agenda = newAgenda();
    enter(agenda, 1, 10);
    enter(agenda, 2, 20);
    strike(agenda, 1);
    expect(nextAt(agenda)).toBe(20);
    enter(agenda, 1, 30);
    expect(takeDue(agenda, 100)).toBe(2);
    expect(takeDue(agenda, 100)).toBe(1);
  });

  test('does not keep what thousands of ended jobs left behind', () => {
    const agenda = newAgenda();
    for (let job = 0; job < 10_000; job++) {
      enter(agenda, job, 1_000_000 + job);
      if (job >= 10) strike(agenda, job - 10);
    }
    expect(agenda.heap.entries.length).toBeLessThan(100);
    expect(nextAt(agenda)).toBe(1_000_000 + 9_990);
  });

  test('does what a plain map would do', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 30; round++) {
      const agenda = newAgenda();
      const model = new Map<number, number>();
      for (let step = 0; step < 300; step++) {
        const job = random.between(1, 100);
        const at = random.between(0, 500);
        const roll = random.next();
        if (roll < 0.6) {
          enter(agenda, job, at);
          model.set(job, Math.min(at, model.get(job) ?? Number.POSITIVE_INFINITY));
        } else if (roll < 0.8) {
          strike(agenda, job);
          model.delete(job);
        } else {
          const [first] = [...model].sort(([a, x], [b, y]) => x - y || a - b);
          const due = first !== undefined && first[1] <= at ? first[0] : null;
          expect(takeDue(agenda, at)).toBe(due);
          if (due !== null) model.delete(due);
        }
      }
    }
  });
});
