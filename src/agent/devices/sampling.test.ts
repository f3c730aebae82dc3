import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DeviceReading } from '../../model/device-use.ts';
import { startSampling } from './sampling.ts';

let looks: number;
let underWay: ((readings: readonly DeviceReading[]) => void) | null;
let tookMs: number | null;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  looks = 0;
  underWay = null;
  tookMs = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

/** Null: it hangs until somebody lets it go on. */
const source = {
  name: 'test',
  devices: [],
  close: () => {},
  read() {
    expect(underWay).toBeNull();
    return new Promise<readonly DeviceReading[]>((resolve) => {
      underWay = resolve;
      if (tookMs !== null) setTimeout(done, tookMs);
    });
  },
};
function done(): void {
  const resolve = underWay;
  underWay = null;
  resolve?.([]);
}
const start = (everyMs: () => number) =>
  startSampling({
    source,
    everyMs,
    looked: () => {
      looks++;
    },
    log: () => {},
  });
const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('looks as often as is wanted, and soon after that has changed', async () => {
  let everyMs = 10_000;
  const sampling = start(() => everyMs);
  await passes(9000);
  expect(looks).toBe(1);
  everyMs = 250;
  sampling.reconsider();
  await passes(1);
  expect(looks).toBe(2);
  await passes(1000);
  expect(looks).toBe(6);
  sampling.close();
  await passes(5000);
  expect(looks).toBe(6);
});

test('rests fifty times as long as a look has taken, whatever is wanted', async () => {
  tookMs = 20;
  const sampling = start(() => 100);
  await passes(10 + 20 + 999);
  expect(looks).toBe(1);
  sampling.refresh();
  await passes(1 + 20);
  expect(looks).toBe(2);
  // One that had to wait for something else does not count, and three do.
  tookMs = 400;
  await passes(1000 + 400 + 1000 + 400 + 1000 + 400);
  expect(looks).toBe(5);
  await passes(19_000);
  expect(looks).toBe(5);
  sampling.close();
});

test('a look that hangs is waited for, and nothing piles up', async () => {
  tookMs = null;
  const sampling = start(() => 100);
  await passes(60_000);
  sampling.refresh();
  sampling.reconsider();
  await passes(60_000);
  expect(looks).toBe(0);
  tookMs = 0;
  done();
  await passes(1);
  expect(looks).toBe(1);
  sampling.close();
});

test('whoever asks is not answered twice within a moment', async () => {
  const sampling = start(() => 10_000);
  await passes(100);
  sampling.refresh();
  await passes(100);
  expect(looks).toBe(1);
  await passes(1000);
  sampling.refresh();
  await passes(1);
  expect(looks).toBe(2);
  sampling.close();
});
