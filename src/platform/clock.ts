/**
 * What time it is, for those who must not see it go backwards: the wall clock as it was at the start, plus
 * the time that has passed since. When somebody sets the wall clock, that is reported once, and from then on
 * this clock agrees with it again.
 */

import { performance } from 'node:perf_hooks';

export interface Clock {
  now(): number;
  /** Called when the wall clock was set, with how far it moved. Gives the way to stop listening. */
  onJump(listener: (byMs: number) => void): () => void;
  close(): void;
}

export interface ClockSources {
  readonly wallMs: () => number;
  readonly elapsedMs: () => number;
}

/** A smaller difference is the ordinary drift that time daemons correct; it is left alone until it adds up. */
const JUMP_MS = 1000;
const LOOK_EVERY_MS = 1000;

export interface RealClock extends Clock {
  /** Compares with the wall clock now, as otherwise happens once a second. */
  look(): void;
}

export function realClock(
  sources: ClockSources = { wallMs: () => Date.now(), elapsedMs: () => performance.now() },
): RealClock {
  const listeners = new Set<(byMs: number) => void>();
  let base = sources.wallMs() - sources.elapsedMs();
  const now = () => Math.floor(base + sources.elapsedMs());
  const look = () => {
    const byMs = Math.round(sources.wallMs() - (base + sources.elapsedMs()));
    if (Math.abs(byMs) <= JUMP_MS) return;
    base += byMs;
    for (const listener of listeners) listener(byMs);
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return {
    now,
    look,
    onJump: (listener) => listen(listeners, listener),
    close: () => clearInterval(timer),
  };
}

export interface ManualClock extends Clock {
  advance(byMs: number): void;
  /** Sets the clock, as somebody does to a wall clock. */
  jump(byMs: number): void;
}

/** A clock that moves when told to. */
export function manualClock(start: number): ManualClock {
  const listeners = new Set<(byMs: number) => void>();
  let time = start;
  return {
    now: () => time,
    onJump: (listener) => listen(listeners, listener),
    close: () => listeners.clear(),
    advance: (byMs) => {
      time += byMs;
    },
    jump: (byMs) => {
      time += byMs;
      for (const listener of listeners) listener(byMs);
    },
  };
}

function listen(listeners: Set<(byMs: number) => void>, listener: (byMs: number) => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
