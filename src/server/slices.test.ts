import { expect, test } from 'vitest';
import { threadCpuMs } from '../platform/libc.ts';
import { createSlices, type Slice } from './slices.ts';

/** Keeps the thread busy for so long, whatever else the machine does. */
function work(ms: number): void {
  const until = threadCpuMs() + ms;
  while (threadCpuMs() < until);
}

async function workLong(slice: Slice, parts: number, onPart: () => void): Promise<void> {
  for (let part = 0; part < parts; part++) {
    slice.run(() => work(5));
    onPart();
    await slice.turn();
  }
}

test('of several long commands one works in each turn of the loop', async () => {
  const slices = createSlices();
  let inThisTurn = 0;
  const most: number[] = [];
  let isOver = false;
  const turn = () => {
    most.push(inThisTurn);
    inThisTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const commands = ['a', 'b', 'c', 'd'].map((name) =>
    workLong(slices.open(name), 5, () => {
      inThisTurn += 1;
    }),
  );
  await Promise.all(commands);
  isOver = true;
  // All of them begin at once; from then on each waits for its turn.
  expect(Math.max(...most.slice(1))).toBe(1);
  expect(most.length).toBeGreaterThan(12);
});

test('a command whose slice lasts goes on at once', async () => {
  const slice = createSlices().open('short');
  let hasTurned = false;
  setImmediate(() => {
    hasTurned = true;
  });
  slice.run(() => {});
  expect(slice.isUsedUp()).toBe(false);
  await slice.turn();
  expect(hasTurned).toBe(false);
});

test('the longest slice is known, with the command whose it was', async () => {
  const slices = createSlices();
  slices.open('short').run(() => work(1));
  slices.open('long').run(() => work(8));
  await new Promise(setImmediate);
  const { count, longestMs, longestOf, longCount } = slices.read();
  expect([count, longestOf, longCount]).toEqual([2, 'long', 0]);
  expect(longestMs).toBeGreaterThanOrEqual(8);
});

test('what a command does in different turns is not one slice', async () => {
  const slices = createSlices();
  const slice = slices.open('often');
  for (let turn = 0; turn < 10; turn++) {
    slice.run(() => work(1));
    await new Promise(setImmediate);
  }
  expect(slices.read().longestMs).toBeLessThan(8);
});
