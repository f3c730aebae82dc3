/**
 * Signals that the caller got, for a program that takes them. Those that come while it is busy wait for it; until it
 * has taken one for the first time, none are kept.
 */

export interface CallerSignals {
  /** Calls back once, with the next signal. Gives the way not to be called. */
  readonly next: (take: (signal: number) => void) => () => void;
  /** False when the program takes no signals. */
  readonly add: (signal: number) => boolean;
}

export function callerSignals(): CallerSignals {
  const waiting: number[] = [];
  let taker: ((signal: number) => void) | null = null;
  let areTaken = false;

  const deliver = () => {
    if (taker === null || waiting.length === 0) return;
    const take = taker;
    taker = null;
    take(waiting.shift() as number);
  };

  return {
    next: (take) => {
      areTaken = true;
      taker = take;
      deliver();
      return () => {
        if (taker === take) taker = null;
      };
    },
    add: (signal) => {
      if (!areTaken) return false;
      waiting.push(signal);
      deliver();
      return true;
    },
  };
}
