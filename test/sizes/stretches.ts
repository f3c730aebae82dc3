/**
 * For tests: how long one command keeps a yard from serving others. Between two questions of a program others are
 * served, so what counts is the longest stretch from one question to the next, in time of the processor: how busy the
 * machine is makes no difference to that.
 */

import { type FakeYard, type Ran, runDialect } from '../../src/dialects/fake-yard.ts';
import type { Invocation, Program } from '../../src/dialects/program.ts';

export interface Measured {
  readonly longestMs: number;
  /** What it threw; null when it did not. */
  readonly thrown: string | null;
  readonly ran: Ran | null;
}

export function measureCommand(
  program: (invocation: Invocation) => Program,
  yard: FakeYard,
  argv: readonly string[],
  changes: Partial<Invocation> = {},
): Measured {
  const watch = stopwatch();
  try {
    const ran = runDialect((invocation) => timed(() => program(invocation), watch), yard, argv, changes);
    return { longestMs: watch.longestMs, thrown: null, ran };
  } catch (error) {
    // A job that is waited for never ends in a yard where nothing happens.
    const isWaiting = `${error}`.includes('nothing more happens');
    return { longestMs: watch.longestMs, thrown: isWaiting ? null : `${(error as Error).stack}`, ran: null };
  }
}

interface Stopwatch {
  longestMs: number;
  readonly time: <T>(act: () => T) => T;
}

export function stopwatch(): Stopwatch {
  const watch: Stopwatch = {
    longestMs: 0,
    time: (act) => {
      const before = process.cpuUsage();
      try {
        return act();
      } finally {
        const { user, system } = process.cpuUsage(before);
        watch.longestMs = Math.max(watch.longestMs, (user + system) / 1000);
      }
    },
  };
  return watch;
}

function timed(begin: () => Program, { time }: Stopwatch): Program {
  const inner = time(begin);
  const program: Program = {
    next: (value) => time(() => inner.next(value)),
    return: (value) => time(() => inner.return(value)),
    throw: (error) => time(() => inner.throw(error)),
    [Symbol.iterator]: () => program,
  } as Program;
  return program;
}

/** A stretch so short needs no second look. */
const SHORT_MS = 25;
/** With what machines in use add; what is quadratic at the sizes of these tests takes a second and more. */
const LONGEST_MS = 250;
const SHRUNK = 8;
/** Linear is 8, quadratic 64. */
const STEEPEST = 24;

/** Null when others need not wait long, and twice the text takes about twice as long; else what was seen. */
export function tooLong(measure: (characters: number) => number, characters: number): string | null {
  if (measure(characters) < SHORT_MS) return null;
  const best = (size: number) => Math.min(...Array.from({ length: 3 }, () => measure(size)));
  const large = best(characters);
  if (large < SHORT_MS) return null;
  const small = best(characters / SHRUNK);
  const said = `${large.toFixed(0)} ms for ${characters} characters, ${small.toFixed(1)} ms for an eighth`;
  if (large > LONGEST_MS) return said;
  return large > STEEPEST * Math.max(small, 1) ? said : null;
}
