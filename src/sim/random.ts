/** Random numbers from a seed: the same seed gives the same numbers on every machine. Not for secrets. */

export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** A whole number, at least 0 and below the limit. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
  /** How long until the next of events that come every `meanMs` on average, at least 1 ms. */
  waitMs(meanMs: number): number;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  // mulberry32: small, fast, and good enough for choosing what happens next.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
    pick: (choices) => choices[between(0, choices.length - 1)] as (typeof choices)[number],
    shuffled(items) {
      const out = [...items];
      for (let last = out.length - 1; last > 0; last--) {
        const other = between(0, last);
        [out[last], out[other]] = [out[other] as (typeof out)[number], out[last] as (typeof out)[number]];
      }
      return out;
    },
    waitMs: (meanMs) => Math.max(1, Math.round(-meanMs * Math.log(1 - next()))),
  };
}
