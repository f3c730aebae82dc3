/**
 * Time in a simulation: what happens when, in order. True time only ever goes forward; the clock on the wall,
 * which is what the yard sees, can be set by anybody.
 */

import { type Heap, newHeap, peek, pop, push } from '../core/heap.ts';

export interface World {
  /** True time since the beginning. */
  readonly nowMs: number;
  /** What the clock on the wall says. */
  wall(): number;
  /** When the clock on the wall will say so, if nobody sets it. */
  whenWallSays(wallMs: number): number;
  setClock(byMs: number): void;
  after(delayMs: number, happening: () => void): void;
  /** When the next thing happens; null when nothing is left. */
  nextAt(): number | null;
  /** Moves on to the next happening and lets it happen. */
  step(): void;
  /** Moves on to that time, before which nothing happens. */
  moveTo(atMs: number): void;
}

interface Happening {
  readonly at: number;
  /** Of two at the same time, the one arranged first comes first. */
  readonly n: number;
  readonly happen: () => void;
}

const WALL_AT_THE_BEGINNING = 1_700_000_000_000;

export function newWorld(): World {
  const ahead: Heap<Happening> = newHeap((a, b) => (a.at !== b.at ? a.at < b.at : a.n < b.n));
  let now = 0;
  let wallAhead = WALL_AT_THE_BEGINNING;
  let arranged = 0;
  return {
    get nowMs() {
      return now;
    },
    wall: () => now + wallAhead,
    whenWallSays: (wallMs) => wallMs - wallAhead,
    setClock(byMs) {
      wallAhead += byMs;
    },
    after(delayMs, happen) {
      push(ahead, { at: now + Math.max(0, delayMs), n: arranged++, happen });
    },
    nextAt: () => peek(ahead)?.at ?? null,
    step() {
      const next = pop(ahead);
      if (next === undefined) return;
      now = next.at;
      next.happen();
    },
    moveTo(atMs) {
      now = Math.max(now, atMs);
    },
  };
}
