/**
 * Yards whose jobs share devices, with everything that must hold looked at after every turn. A seed that fails says how to
 * see it again. TRAINYARD_GPU_SEEDS tries more of them than there is time for in every run.
 */

import { describe, expect, test } from 'vitest';
import { CROWDED, simulateSeed } from '../../src/sim/gpus/suite.ts';

const SEEDS = Number(process.env.TRAINYARD_GPU_SEEDS ?? 28);
const PER_TEST = 7;
const firsts = Array.from({ length: Math.ceil(SEEDS / PER_TEST) }, (_, at) => at * PER_TEST + 1);
const totals: Record<string, number> = {};

describe.each(firsts)('seeds from %i on', (first) => {
  test('keep every promise, and every job comes to its end', { timeout: 60_000 * PER_TEST }, () => {
    for (let seed = first; seed < first + PER_TEST; seed++) {
      const { outcomes, ...counted } = simulateSeed({ seed });
      for (const [what, count] of Object.entries({ ...outcomes, ...counted }))
        totals[what] = (totals[what] ?? 0) + count;
    }
    expect(totals.starts).toBeGreaterThan(0);
  });
});

test('everything that can happen does', () => {
  const expected = [
    'shared',
    'learners',
    'grown',
    'ranOut',
    'rerun',
    'killedClients',
    'crashes',
    'strangers',
  ];
  const ends = ['completed', 'failed', 'timeout', 'cancelled', 'deviceOutOfMemory'];
  for (const what of [...expected, 'lostNodes', 'secondThoughts', ...ends])
    expect(totals[what], what).toBeGreaterThan(10);
});

describe('whoever wants whole devices in a crowd of small leases', () => {
  test.each([1, 4, 7])('has them when those before it have gone, seed %i', { timeout: 60_000 }, (seed) => {
    const { outcomes, shared, longestWaitMs } = simulateSeed({ seed, ...CROWDED });
    expect(outcomes.completed).toBeGreaterThan(200);
    expect(shared).toBeGreaterThan(200);
    // It really had to wait for those who may go before it, or the bound would say nothing.
    expect(longestWaitMs).toBeGreaterThan(0);
  });
});

test('the same seed gives the same simulation', () => {
  expect(simulateSeed({ seed: 42, jobs: 40 })).toEqual(simulateSeed({ seed: 42, jobs: 40 }));
  expect(simulateSeed({ seed: 42, jobs: 40 })).not.toEqual(simulateSeed({ seed: 43, jobs: 40 }));
});
