/**
 * Shares the event loop among commands. A command works in slices of a few milliseconds; when its slice is used up it
 * goes to the end of a line, of which one command goes on in each turn of the loop. So everybody else is served in
 * between, however many long commands there are. It keeps count of the longest slice, in time of the CPU: what
 * other programs of the machine do meanwhile is not the command's fault.
 */

import { threadCpuMs } from '../platform/libc.ts';

export interface Slices {
  /** For one command, by its name. */
  open(name: string): Slice;
  read(): SlicesRead;
}

export interface SlicesRead {
  readonly count: number;
  readonly longestMs: number;
  /** The command whose it was. */
  readonly longestOf: string | null;
  /** How many took longer than a command may keep others waiting. */
  readonly longCount: number;
}

export interface Slice {
  /** Does a part of the command's work, up to where it would wait. */
  run<T>(work: () => T): T;
  /** Resolves at once while the slice lasts, and otherwise when it is the command's turn again. */
  turn(): Promise<void>;
  isUsedUp(): boolean;
}

const SLICE_MS = 4;
const LONG_MS = 20;

export function createSlices(): Slices {
  const waiting: (() => void)[] = [];
  let count = 0;
  let longestMs = 0;
  let longestOf: string | null = null;
  let longCount = 0;

  function letOneGoOn(): void {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(letOneGoOn);
  }

  function nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(letOneGoOn);
    });
  }

  function open(name: string): Slice {
    let usedMs = 0;
    let isOpen = false;

    /** The loop has turned: whatever the command does next is another slice. */
    const close = () => {
      isOpen = false;
      count += 1;
      if (usedMs > LONG_MS) longCount += 1;
      if (usedMs > longestMs) {
        longestMs = usedMs;
        longestOf = name;
      }
      usedMs = 0;
    };

    return {
      run(work) {
        if (!isOpen) setImmediate(close);
        isOpen = true;
        const since = threadCpuMs();
        try {
          return work();
        } finally {
          usedMs += threadCpuMs() - since;
        }
      },
      isUsedUp: () => usedMs >= SLICE_MS,
      turn: () => (usedMs < SLICE_MS ? Promise.resolve() : nextTurn()),
    };
  }

  return { open, read: () => ({ count, longestMs, longestOf, longCount }) };
}
