import { existsSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { findCgroups, listCgroups } from '../../src/agent/cgroups.ts';
import type { Wish } from './builders.ts';
import { openYard, TEST_TIMES, type TestYard } from './yard.ts';

const MIB = 1024 * 1024;
const probe = findCgroups(`test-probe-${process.pid}`);
const noGroups = probe.cgroups === null;
const why = noGroups ? ` (skipped: ${probe.obstacle})` : '';

let yard: TestYard;
afterEach(() => yard.close());

const limitedTo = (bytes: number): Partial<Wish> => ({
  resources: { memory: { bytes, per: 'node' } },
  nodes: [{ memoryBytes: bytes }],
});
/** Takes memory step by step, so that whoever measures sees it grow. */
const grow = (mib: number) =>
  `import time\nkept = []\nfor i in range(${Math.ceil(mib / 8)}):\n  kept.append(b'x' * ${8 * MIB})\n  time.sleep(0.005)\n`;

test.skipIf(noGroups)(`a control group ends a job over its limit, and says so${why}`, async () => {
  yard = await openYard({ useCgroups: true });
  const ended = await yard.run({ ...limitedTo(96 * MIB), argv: ['python3', '-c', grow(256)] });
  expect(ended.exit).toEqual({ code: null, signal: 9, outOfMemory: true });
  expect(ended.usage?.peakMemoryBytes).toBeGreaterThan(80 * MIB);
  expect(ended.usage?.peakMemoryBytes).toBeLessThanOrEqual(96 * MIB);
  expect(yard.engine.remarks()[0]).toMatch(/control groups, version [12]$/);
});

test('memory that is only kept for a job may be exceeded, however limits are kept', async () => {
  for (const useCgroups of [true, false]) {
    yard = await openYard({ useCgroups });
    const memory = { bytes: 16 * MIB, per: 'node', isUnlimited: true } as const;
    const wish = { resources: { memory }, nodes: [{ memoryBytes: 16 * MIB }] };
    const ended = await yard.run({ ...wish, argv: ['python3', '-c', grow(96)] });
    expect(ended.exit).toEqual({ code: 0, signal: null, outOfMemory: false });
    if (useCgroups) await yard.close();
  }
});

test.skipIf(noGroups)(`a control group gives the peak of a job within its limit${why}`, async () => {
  yard = await openYard({ useCgroups: true });
  const ended = await yard.run({ ...limitedTo(256 * MIB), argv: ['python3', '-c', grow(64)] });
  expect(ended.exit).toMatchObject({ code: 0, outOfMemory: false });
  expect(ended.usage?.peakMemoryBytes).toBeGreaterThan(64 * MIB);
});

test.skipIf(noGroups)(`the group is found again by another agent, and goes away${why}`, async () => {
  yard = await openYard({ useCgroups: true });
  const program = `open('ready', 'w')\n${grow(256)}`;
  const made = yard.start({ ...limitedTo(96 * MIB), argv: ['python3', '-c', program] });
  await yard.made('ready');
  await yard.reopen();
  yard.perform('watch', made);
  expect((await yard.reports.next('attemptEnded')).exit.outOfMemory).toBe(true);
  const { cgroups } = findCgroups(yard.yardId);
  expect(existsSync(cgroups!.base)).toBe(false);
});

test.skipIf(noGroups)(`all that is in a group is killed, whatever it did to hide${why}`, async () => {
  yard = await openYard({ useCgroups: true });
  const script = '#!/bin/sh\nenv -i setsid sleep 60 &\n: >ready\nwait\n';
  const made = yard.start({ ...limitedTo(96 * MIB), script });
  await yard.made('ready');
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(9);
  expect(listCgroups(findCgroups(yard.yardId).cgroups!)).toEqual([]);
});

test('without groups the processes are measured, and one over its limit is reported', async () => {
  yard = await openYard();
  const program = `${grow(128)}\ntime.sleep(60)`;
  const made = yard.start({ ...limitedTo(64 * MIB), argv: ['python3', '-c', program] });
  const over = await yard.reports.next('overMemory');
  expect(over.usedBytes).toBeGreaterThan(64 * MIB);
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  const ended = await yard.reports.next('attemptEnded');
  expect(ended.exit).toEqual({ code: null, signal: 9, outOfMemory: true });
  expect(ended.usage?.peakMemoryBytes).toBeGreaterThan(64 * MIB);
  expect(yard.engine.remarks()[0]).toContain('measuring');
});

test('without groups a job has used at least what somebody saw it use', async () => {
  yard = await openYard({ times: { ...TEST_TIMES, measureEveryMs: 3_600_000 } });
  const program = `kept = b'x' * ${32 * MIB}\nopen('ready', 'w')\nimport time\ntime.sleep(60)`;
  const made = yard.start({ ...limitedTo(256 * MIB), argv: ['python3', '-c', program] });
  await yard.made('ready');
  await yard.reports.next('attemptRunning');
  expect(yard.engine.measure(made.attempt.id)?.peakMemoryBytes).toBeGreaterThan(32 * MIB);
  yard.effect({ type: 'stop', ...made, step: 'kill' });
  const ended = await yard.reports.next('attemptEnded');
  expect(ended.usage?.peakMemoryBytes).toBeGreaterThan(32 * MIB);
});
