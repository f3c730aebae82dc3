import { expect, test } from 'vitest';
import { manualClock, realClock } from './clock.ts';

function fakeSources() {
  const times = { wall: 1_000_000, elapsed: 500 };
  return { times, sources: { wallMs: () => times.wall, elapsedMs: () => times.elapsed } };
}

test('time goes by with elapsed time, not with the wall clock', () => {
  const { times, sources } = fakeSources();
  const clock = realClock(sources);
  times.elapsed += 250;
  times.wall -= 900;
  expect(clock.now()).toBe(1_000_250);
  clock.close();
});

test('a set wall clock is reported once and then agreed with', () => {
  const { times, sources } = fakeSources();
  const clock = realClock(sources);
  const jumps: number[] = [];
  clock.onJump((byMs) => jumps.push(byMs));
  times.wall += 3_600_000;
  clock.look();
  clock.look();
  expect(jumps).toEqual([3_600_000]);
  expect(clock.now()).toBe(times.wall);
  clock.close();
});

test('ordinary drift is no jump', () => {
  const { times, sources } = fakeSources();
  const clock = realClock(sources);
  const jumps: number[] = [];
  clock.onJump((byMs) => jumps.push(byMs));
  times.wall -= 1000;
  clock.look();
  expect(jumps).toEqual([]);
  clock.close();
});

test('a listener that stopped listening hears nothing', () => {
  const clock = manualClock(0);
  const jumps: number[] = [];
  const stop = clock.onJump((byMs) => jumps.push(byMs));
  clock.jump(-5000);
  stop();
  clock.jump(1);
  expect(jumps).toEqual([-5000]);
  clock.advance(10);
  expect(clock.now()).toBe(-4989);
});
