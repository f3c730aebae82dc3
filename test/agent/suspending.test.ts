import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeSnapshot } from '../../src/agent/members.ts';
import { standsStill } from '../stands-still.ts';
import { openYard, type TestYard } from './yard.ts';

let yard: TestYard;
beforeEach(async () => {
  yard = await openYard();
});
afterEach(() => yard.close());

const BUSY =
  '#!/bin/sh\nsleep 100 &\nsetsid sleep 100 &\n: >ready\nwhile [ ! -e go ]; do sleep 0.01; done\nexit 3\n';

function states(): string {
  const members = takeSnapshot(yard.yardId).membersOf({
    attempt: '17.1',
    step: null,
    shims: [],
    callers: [],
    orphans: [],
    sinceTicks: 0,
    cgroups: [],
  });
  return [...new Set(members.map(({ pid }) => (standsStill(pid) ? 'T' : 'goes')))].sort().join();
}

test('every process stops where it is, and goes on', async () => {
  const made = yard.start({ script: BUSY });
  await yard.made('ready');
  yard.effect({ type: 'suspend', ...made, n: 1 });
  await expect.poll(states, { interval: 10 }).toBe('T');
  yard.effect({ type: 'suspend', ...made, n: 1 });
  yard.effect({ type: 'resume', ...made, n: 2 });
  await expect.poll(states, { interval: 10 }).toBe('goes');
  yard.start({ id: 18, argv: ['touch', 'go'] });
  expect((await yard.reports.next('attemptEnded', '17.1')).exit.code).toBe(3);
});

test('what is suspended hears that it is to end, whatever signal says so', async () => {
  const script =
    '#!/bin/sh\ntrap "echo told; exit 4" USR2\nsleep 100 &\n: >ready\nwhile :; do sleep 0.01; done\n';
  const made = yard.start({ script });
  await yard.made('ready');
  yard.effect({ type: 'suspend', ...made, n: 1 });
  await expect.poll(states, { interval: 10 }).toBe('T');
  yard.effect({ type: 'stop', ...made, step: 'term', signal: 12 });
  expect((await yard.reports.next('attemptEnded')).exit.code).toBe(4);
  expect(yard.output()).toContain('told\n');
});

test('a signal that asks for nothing of the kind lets nothing go on', async () => {
  const made = yard.start({ script: BUSY });
  await yard.made('ready');
  yard.effect({ type: 'suspend', ...made, n: 1 });
  await expect.poll(states, { interval: 10 }).toBe('T');
  yard.effect({ type: 'signal', ...made, n: 1, signal: 15, scope: 'all' });
  await yard.reports.next('signalSent');
  expect(states()).toBe('T');
});

test('what is suspended can be stopped, by another agent too', async () => {
  const made = yard.start({ script: BUSY });
  await yard.made('ready');
  yard.effect({ type: 'suspend', ...made, n: 1 });
  await yard.reopen();
  yard.effect({ type: 'suspend', ...made, n: 1 });
  yard.effect({ type: 'stop', ...made, step: 'term' });
  expect((await yard.reports.next('attemptEnded')).exit.signal).toBe(15);
});
