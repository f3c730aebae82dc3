import { describe, expect, test } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import { addSample, rollupFrom, startRollup, type UseSample, useOf } from './rollup.ts';

const GIB = 1024 ** 3;
const of = { node: 'a', index: 3, kind: 'toy', totalBytes: 16 * GIB };

function rolledUp(samples: readonly UseSample[]) {
  const rollup = startRollup(of);
  for (const sample of samples) addSample(rollup, sample);
  return rollup;
}

function naiveP95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** What a run may look like: steps, noise, gaps in which nobody looked, loads that nobody could tell. */
function someSamples(seed: number): UseSample[] {
  const random = seededRandom(seed);
  const everyMs = random.pick([100, 1000, 5000]);
  let atMs = 1_700_000_000_000 + random.below(10_000);
  let base = random.below(12 * GIB);
  return Array.from({ length: random.between(1, 3000) }, () => {
    atMs += random.chance(0.002) ? random.below(3_600_000) : everyMs;
    if (random.chance(0.01)) base = random.below(12 * GIB);
    const memoryBytes = base + random.below(GIB);
    return { atMs, memoryBytes, loadMillis: random.chance(0.1) ? null : random.below(101) * 10 };
  });
}

test('nothing seen is not the same as nothing used', () => {
  expect(useOf(startRollup(of))).toBeNull();
  expect(useOf(rolledUp([{ atMs: 5, memoryBytes: 0, loadMillis: null }]))).toEqual({
    node: 'a',
    index: 3,
    kind: 'toy',
    memoryBytes: { peak: 0, p95: 0, mean: 0 },
    loadMillis: null,
    samples: 1,
    curve: { everyMs: 1000, memoryBytes: [0], loadMillis: [] },
  });
});

describe('over many runs', () => {
  const runs = Array.from({ length: 60 }, (_, seed) => someSamples(seed + 1));

  test('peak and mean are exact, and p95 is larger by a step at most', () => {
    for (const samples of runs) {
      const use = useOf(rolledUp(samples));
      const memory = samples.map(({ memoryBytes }) => memoryBytes);
      const exact = naiveP95(memory);
      expect(use?.samples).toBe(samples.length);
      expect(use?.memoryBytes.peak).toBe(Math.max(...memory));
      expect(Math.abs((use?.memoryBytes.mean ?? 0) - mean(memory))).toBeLessThanOrEqual(1);
      expect(use?.memoryBytes.p95).toBeGreaterThanOrEqual(exact);
      expect(use?.memoryBytes.p95).toBeLessThanOrEqual(
        Math.min(Math.max(...memory), exact + of.totalBytes / 1024 + 1),
      );
    }
  });

  test('loads in whole percents are exact, whichever are missing', () => {
    for (const samples of runs) {
      const loads = samples.flatMap(({ loadMillis }) => loadMillis ?? []);
      const rollup = useOf(rolledUp(samples))?.loadMillis ?? null;
      if (loads.length === 0) expect(rollup).toBeNull();
      else
        expect(rollup).toEqual({
          peak: Math.max(...loads),
          p95: naiveP95(loads),
          mean: Math.round(mean(loads)),
        });
    }
  });

  test('the curve has at most 120 points, each with the most memory and the mean load of its time', () => {
    for (const samples of runs) {
      const curve = useOf(rolledUp(samples))?.curve;
      const everyMs = curve?.everyMs ?? 0;
      const first = samples[0]?.atMs ?? 0;
      const last = samples.at(-1)?.atMs ?? 0;
      const length = Math.floor((last - first) / everyMs) + 1;
      expect(length).toBeLessThanOrEqual(120);
      expect(everyMs === 1000 || length > 60).toBe(true);
      let memory = 0;
      let load = 0;
      const expected = Array.from({ length }, (_, i) => {
        const within = samples.filter(({ atMs }) => Math.floor((atMs - first) / everyMs) === i);
        const loads = within.flatMap(({ loadMillis }) => loadMillis ?? []);
        if (within.length > 0) memory = Math.max(...within.map(({ memoryBytes }) => memoryBytes));
        if (loads.length > 0) load = Math.round(mean(loads));
        return [memory, load];
      });
      expect(curve?.memoryBytes).toEqual(expected.map(([bytes]) => bytes));
      if (samples.some(({ loadMillis }) => loadMillis !== null)) {
        expect(curve?.loadMillis).toEqual(expected.map(([, millis]) => millis));
      }
    }
  });

  test('a rollup goes through a file at any moment and nothing changes', () => {
    for (const samples of runs.slice(0, 20)) {
      const half = Math.floor(samples.length / 2);
      const kept = rollupFrom(JSON.parse(JSON.stringify(rolledUp(samples.slice(0, half)))));
      expect(kept).not.toBeNull();
      if (kept === null) continue;
      for (const sample of samples.slice(half)) addSample(kept, sample);
      expect(kept).toEqual(rolledUp(samples));
    }
  });

  test('it takes no more room after a long run than it may', () => {
    const random = seededRandom(1);
    const rollup = startRollup(of);
    for (let i = 0; i < 100_000; i++) {
      addSample(rollup, {
        atMs: i * 100,
        memoryBytes: random.below(16 * GIB),
        loadMillis: random.below(1001),
      });
    }
    expect(JSON.stringify(rollup).length).toBeLessThan(25_000);
  });
});

test('every whole percent is told as it was', () => {
  for (let percent = 0; percent <= 100; percent++) {
    const use = useOf(
      rolledUp([
        ...Array.from({ length: 30 }, () => ({ atMs: 0, memoryBytes: 0, loadMillis: percent * 10 })),
        { atMs: 0, memoryBytes: 0, loadMillis: 1000 },
      ]),
    );
    expect(use?.loadMillis?.p95).toBe(percent * 10);
  }
});

test('memory beyond what the device has, or of a device that does not say, is still told', () => {
  const beyond = rolledUp([{ atMs: 0, memoryBytes: 17 * GIB, loadMillis: 0 }]);
  expect(useOf(beyond)?.memoryBytes).toEqual({ peak: 17 * GIB, p95: 17 * GIB, mean: 17 * GIB });
  const unknown = startRollup({ ...of, totalBytes: 0 });
  addSample(unknown, { atMs: 0, memoryBytes: GIB, loadMillis: 0 });
  addSample(unknown, { atMs: 0, memoryBytes: 0, loadMillis: 0 });
  expect(useOf(unknown)?.memoryBytes).toEqual({ peak: GIB, p95: GIB, mean: GIB / 2 });
});

test('a sample from before the last one, or from far beyond it, leaves a curve of bounded length', () => {
  const rollup = rolledUp([
    { atMs: 10_000, memoryBytes: 1, loadMillis: 0 },
    { atMs: 11_000, memoryBytes: 2, loadMillis: 0 },
  ]);
  addSample(rollup, { atMs: 3000, memoryBytes: 3, loadMillis: 0 });
  expect(useOf(rollup)?.curve?.memoryBytes).toEqual([1, 3]);
  addSample(rollup, { atMs: Number.MAX_SAFE_INTEGER, memoryBytes: 5, loadMillis: 0 });
  expect(useOf(rollup)?.curve?.memoryBytes.length).toBeLessThanOrEqual(120);
});

test('what is no rollup is not taken for one', () => {
  const good = JSON.parse(JSON.stringify(rolledUp(someSamples(3))));
  expect(rollupFrom(good)).toEqual(good);
  for (const bad of [
    null,
    7,
    {},
    { ...good, node: 4 },
    { ...good, everyMs: 0 },
    { ...good, points: [{}] },
    { ...good, points: Array.from({ length: 121 }, () => null) },
    { ...good, memoryBytes: { ...good.memoryBytes, steps: 7 } },
    { ...good, memoryBytes: { ...good.memoryBytes, sum: null } },
    { ...good, loadMillis: { ...good.loadMillis, counts: { x: 1 } } },
  ]) {
    expect(rollupFrom(bad), JSON.stringify(bad)?.slice(0, 80)).toBeNull();
  }
});
