import { describe, expect, test } from 'vitest';
import { aJob, type JobBuilder } from '../../test/builders.ts';
import type { Job } from '../model/job.ts';
import { seededRandom } from '../sim/random.ts';
import { type Backlog, dequeue, enqueue, isQueued, membersOf, newBacklog, sizeOf } from './backlog.ts';

function pending(id: number, eligibleAt: number, { spec }: JobBuilder = aJob()): Job {
  return {
    id,
    spec,
    submittedAt: 0,
    phase: 'pending',
    hold: null,
    eligibleAt,
    array: null,
    element: null,
    restarts: 0,
    fruitless: 0,
    attempt: null,
    outcome: null,
    endedAt: null,
    note: null,
    endedBy: null,
  };
}

function order(backlog: Backlog): number[][] {
  return [...backlog.groups.values()].map((group) => [...membersOf(group)]);
}

describe('the backlog', () => {
  test('puts alike jobs into one line and others into another', () => {
    const backlog = newBacklog();
    enqueue(backlog, pending(1, 10));
    enqueue(backlog, pending(2, 10, aJob().by('bob')));
    enqueue(backlog, pending(3, 5));
    enqueue(backlog, pending(4, 5, aJob().wanting({ gpus: 1 })));
    expect(order(backlog)).toEqual([[3, 1], [2], [4]]);
  });

  test('a name, a comment or a begin time makes no difference', () => {
    const backlog = newBacklog();
    enqueue(backlog, pending(1, 1, aJob().named('a')));
    enqueue(backlog, pending(2, 2, aJob().named('b').beginningAt(1)));
    expect(order(backlog)).toEqual([[1, 2]]);
  });

  test('a job that left and came back later is in the line once, at its new place', () => {
    const backlog = newBacklog();
    for (const id of [1, 2, 3]) enqueue(backlog, pending(id, id));
    dequeue(backlog, pending(2, 2));
    enqueue(backlog, pending(2, 9));
    expect(order(backlog)).toEqual([[1, 3, 2]]);
  });

  test('a line that nobody stands in is gone', () => {
    const backlog = newBacklog();
    enqueue(backlog, pending(1, 1));
    dequeue(backlog, pending(1, 1));
    expect(backlog.groups.size).toBe(0);
    expect(isQueued(backlog, pending(1, 1))).toBe(false);
  });

  test('is what sorting all members anew would give', () => {
    const random = seededRandom(3);
    for (let round = 0; round < 20; round++) {
      const backlog = newBacklog();
      const model = new Map<number, Job>();
      for (let step = 0; step < 400; step++) {
        const id = random.between(1, 60);
        const there = model.get(id);
        if (there === undefined) {
          const job = pending(id, random.between(1, 20));
          enqueue(backlog, job);
          model.set(id, job);
        } else {
          dequeue(backlog, there);
          model.delete(id);
        }
        const sorted = [...model.values()].sort(
          (a, b) => (a.eligibleAt as number) - (b.eligibleAt as number) || a.id - b.id,
        );
        expect(order(backlog)).toEqual(model.size === 0 ? [] : [sorted.map((job) => job.id)]);
        for (const group of backlog.groups.values()) expect(sizeOf(group)).toBe(model.size);
      }
    }
  });
});
