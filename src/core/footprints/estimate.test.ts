import { expect, test } from 'vitest';
import { GIB } from '../../../test/builders.ts';
import { type Footprint, NO_SPREAD, spreadWith } from '../../model/footprint.ts';
import { estimateOf } from './estimate.ts';

const NOW = 1_700_000_000_000;
const MONTH_MS = 30 * 86_400_000;

function aFootprint(peaks: readonly number[], changes: Partial<Footprint> = {}): Footprint {
  return {
    key: { level: 'command', text: 'command:train', label: 'train' },
    device: 'a100',
    memory: peaks.reduce(spreadWith, NO_SPREAD),
    load: NO_SPREAD,
    hostMemory: NO_SPREAD,
    durationMs: NO_SPREAD,
    firstSeenAt: NOW,
    lastSeenAt: NOW,
    isProvisional: false,
    ...changes,
  };
}

const times = (count: number, value: number) => Array.from({ length: count }, () => value);

test('one run counts with a quarter more', () => {
  const estimate = estimateOf(aFootprint([4 * GIB]), NOW);
  expect(estimate).toMatchObject({ seenBytes: 4 * GIB, memoryBytes: 5 * GIB, runs: 1, basis: 'seen' });
});

test('the margin shrinks with evidence, to three percent and not below', () => {
  const margins = [1, 4, 16, 100, 10_000].map(
    (runs) => estimateOf(aFootprint(times(runs, GIB)), NOW).marginMillis,
  );
  expect(margins).toEqual([250, 125, 63, 30, 30]);
});

test('it widens again as evidence gets old, and is never more than half', () => {
  const known = aFootprint(times(4, GIB));
  const marginAfter = (months: number) => estimateOf(known, NOW + months * MONTH_MS).marginMillis;
  expect(marginAfter(2)).toBe(250);
  expect(marginAfter(100)).toBe(500);
  expect(marginAfter(-1)).toBe(125);
});

test('the less exactly the kind is known, the wider it is', () => {
  const at = (level: 'kind' | 'command' | 'script' | 'name') =>
    estimateOf(aFootprint([GIB], { key: { level, text: level, label: level } }), NOW).marginMillis;
  expect([at('kind'), at('command'), at('script'), at('name')]).toEqual([250, 250, 375, 500]);
});

test('never less than the most that was seen', () => {
  const { memoryBytes } = estimateOf(aFootprint([...times(50, GIB), 9 * GIB]), NOW);
  expect(memoryBytes).toBeGreaterThanOrEqual(9 * GIB);
});

test('runs that differ count for more than the most of them', () => {
  const { memoryBytes } = estimateOf(aFootprint([GIB, 8 * GIB]), NOW);
  expect(memoryBytes).toBeGreaterThan(8 * GIB * 1.18);
});

test('what is seen half-way counts with half as much again', () => {
  const estimate = estimateOf(aFootprint([4 * GIB], { isProvisional: true }), NOW);
  expect(estimate).toMatchObject({ memoryBytes: 6 * GIB, runs: 0, basis: 'provisional' });
});

test('what ran out is given more than that', () => {
  const estimate = estimateOf(aFootprint([4 * GIB], { atLeastBytes: 7 * GIB }), NOW);
  expect(estimate).toMatchObject({ memoryBytes: 7 * GIB, basis: 'ranOut' });
});

test('what somebody says holds, whatever was seen', () => {
  const said = { setBytes: GIB, setLoadMillis: 10, atLeastBytes: 7 * GIB };
  const estimate = estimateOf(aFootprint([4 * GIB], said), NOW);
  expect(estimate).toMatchObject({ memoryBytes: GIB, marginMillis: 0, loadMillis: 10, basis: 'set' });
});

test('one that uses nothing is still given a little', () => {
  expect(estimateOf(aFootprint([0]), NOW).memoryBytes).toBe(64 * 1024 ** 2);
});

test('load is what is typical and as much as it differs, and never above all', () => {
  const loads = (...values: number[]) =>
    estimateOf(aFootprint([GIB], { load: values.reduce(spreadWith, NO_SPREAD) }), NOW).loadMillis;
  expect(loads(400)).toBe(400);
  expect(loads(300, 500)).toBe(541);
  expect(loads(900, 1000)).toBe(1000);
  expect(loads()).toBe(0);
});
