import { expect, it } from 'vitest';
import { undisturbed } from './fake-yard.ts';
import { newHeap } from './heap.ts';
import { gathered, sorted } from './job-pages.ts';

const numbers = Array.from({ length: 5000 }, (_, at) => (at * 7919) % 4999);

it('sorts as Array.sort does, and leaves equals in their order', () => {
  const items = numbers.map((number, at) => ({ key: number % 10, at }));
  const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
  expect(undisturbed(sorted(items, compare))).toEqual([...items].sort(compare));
  expect(undisturbed(sorted([], compare))).toEqual([]);
});

it('pauses often while it sorts', () => {
  let pauses = 0;
  const sorting = sorted(numbers, (a, b) => a - b);
  while (!sorting.next().done) pauses += 1;
  expect(pauses).toBeGreaterThan(20);
});

it('gathers what each item gives', () => {
  expect(undisturbed(gathered([1, 2, 3], (n) => (n === 2 ? [] : [n, n])))).toEqual([1, 1, 3, 3]);
});

it('a heap gives the smallest first, whatever came meanwhile', () => {
  const heap = newHeap<number>((a, b) => a - b);
  for (const number of numbers.slice(0, 2500)) heap.put(number);
  const taken = Array.from({ length: 1000 }, () => heap.take() as number);
  expect(taken).toEqual(
    numbers
      .slice(0, 2500)
      .sort((a, b) => a - b)
      .slice(0, 1000),
  );
  heap.put(-1);
  expect([heap.first(), heap.take()]).toEqual([-1, -1]);
});
