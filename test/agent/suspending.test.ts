import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeSnapshot } from '../../src/agent/members.ts';
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
  return [...new Set(members.map(({ state }) => (state === 'T' ? 'T' : 'goes')))].sort().join();
}

test('every process stops where it is, and goes on', async () => {
  const made = yard.start({ script: BUSY });
  await yard.made('ready');
  yard.effect({ type: 'suspend', ...made, n: 1 });
  expect(states()).toBe('T');
  yard.effect({ type: 'suspend', ...made, n: 1 });
  yard.effect({ type: 'resume', ...made, n: 2 });
  await expect.poll(states, { interval: 10 }).toBe('goes');
  yard.start({ id: 18, argv: ['touch', 'go'] });
  expect((await yard.reports.next('attemptEnded', '17.1')).exit.code).toBe(3);
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
