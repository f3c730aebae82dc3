/**
 * Yards in which nearly everything goes wrong. A seed that fails says how to see it again. The seeds are the same in every
 * run: a failure is news about the code and not about the day. test/crash/simulate.test.ts has many more seeds.
 */

import { describe, expect, test } from 'vitest';
import { NO_FAULTS } from '../../src/sim/options.ts';
import { simulate } from '../../src/sim/simulate.ts';

const PER_TEST = 20;

describe.each([1, 21, 41])('seeds from %i on', (first) => {
  test('survive every fault, and every job comes to its end', { timeout: 60_000 }, () => {
    for (let seed = first; seed < first + PER_TEST; seed++)
      expect(simulate({ seed }).attempts).toBeGreaterThan(0);
  });
});

test('a crowded yard, in which many have to make room', { timeout: 60_000 }, () => {
  let loans = 0;
  let returns = 0;
  for (let seed = 1; seed <= 4; seed++) {
    const report = simulate({ seed, jobs: 120, nodes: 3, unrestMs: 30 * 60_000 });
    expect(report.cpusBusy).toBeGreaterThan(0.3);
    loans += report.rarities.loans;
    returns += report.rarities.returns;
  }
  expect(loans).toBeGreaterThan(30);
  expect(returns).toBeGreaterThan(30);
});

test('a large and quiet yard keeps its machines busy', () => {
  const report = simulate({ seed: 1, jobs: 300, nodes: 10, unrestMs: 3_600_000, faults: NO_FAULTS });
  expect(report.faults).toEqual({
    crashes: 0,
    failedCommits: 0,
    lostNodes: 0,
    clockJumps: 0,
    lostReports: 0,
    repeatedReports: 0,
    lateReports: 0,
  });
  expect(report.outcomes.nodeLost).toBeUndefined();
  expect(report.jobsPerHour).toBeGreaterThan(100);
  expect(report.cpusBusy).toBeGreaterThan(0.3);
  expect(report.cpusBusy).toBeLessThanOrEqual(1);
  expect(report.gpusBusy).toBeLessThanOrEqual(1);
});

test('the faults really happen, and so does what is rare', () => {
  const totals: Record<string, number> = {};
  for (let seed = 1; seed <= 12; seed++) {
    const { faults, rarities, steps, suspensions } = simulate({ seed });
    for (const [fault, count] of Object.entries({ ...faults, ...rarities, steps, suspensions }))
      totals[fault] = (totals[fault] ?? 0) + count;
  }
  for (const [fault, count] of Object.entries(totals)) expect(count, fault).toBeGreaterThan(4);
});

test('jobs that only fail at once are held after three runs, whatever else goes wrong', () => {
  let holds = 0;
  for (let seed = 1; seed <= 3; seed++) holds += simulate({ seed, jobs: 30, hastyMillis: 300 }).shortRunHolds;
  expect(holds).toBeGreaterThan(5);
});

test('the same seed gives the same simulation', () => {
  expect(simulate({ seed: 42 })).toEqual(simulate({ seed: 42 }));
  expect(simulate({ seed: 42 })).not.toEqual(simulate({ seed: 43 }));
});
