import { expect, test } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import { newHeap, peek, pop, push } from './heap.ts';

const less = (a: number, b: number) => a < b;

test('gives back what was put in, the least first', () => {
  const random = seededRandom(1);
  for (let round = 0; round < 50; round++) {
    const start = Array.from({ length: random.between(0, 20) }, () => random.between(0, 30));
    const heap = newHeap(less, [...start]);
    const model = [...start];
    for (let step = 0; step < 200; step++) {
      if (random.chance(0.55)) {
        const value = random.between(0, 30);
        push(heap, value);
        model.push(value);
      } else {
        model.sort((a, b) => a - b);
        expect(peek(heap)).toBe(model[0]);
        expect(pop(heap)).toBe(model.shift());
      }
      expect(heap.entries.length).toBe(model.length);
    }
  }
});
