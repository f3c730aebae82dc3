import { expect, test } from 'vitest';
import { plan } from '../../src/core/schedule/plan.ts';
import { validate } from '../../src/core/validate.ts';
import { BIG_YARD_NOW, bigYard } from '../../src/sim/big-yard.ts';
import { aPolicy } from '../builders.ts';

test('a large yard is a valid one, and a pass over it fills it', () => {
  const state = bigYard(5000, 50, 8, 1);
  validate(state);
  expect(state.counts.pending).toBe(5000);
  expect(state.nodes.size).toBe(50);
  const { starts, reservations } = plan(state, aPolicy(), BIG_YARD_NOW);
  expect(starts.length).toBeGreaterThan(100);
  expect(reservations).toHaveLength(1);
});

test('the same seed gives the same yard', () => {
  expect(bigYard(200, 5, 4, 7).jobs).toEqual(bigYard(200, 5, 4, 7).jobs);
});
