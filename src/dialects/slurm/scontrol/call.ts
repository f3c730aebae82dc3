/** What a keyword of `scontrol` is given when it runs, and how it complains. */

import { type Asking, type Invocation, printErr, printOut } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import type { Structure } from '../listing/structured.ts';

/** How answers are given; options set it, and so do keywords where commands are typed one after the other. */
export interface Manner {
  readonly oneLine: boolean;
  readonly details: boolean;
  readonly quiet: boolean;
  /** For programs rather than people; null: text. */
  readonly structure: Structure | null;
}

export interface Call {
  readonly invocation: Invocation;
  readonly manner: Manner;
  /** As it was written, for complaints. */
  readonly keyword: string;
  /** What follows it. */
  readonly words: readonly string[];
}

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;

/** One line on stderr, unless nobody wants to know; and the exit code that goes with it. */
export function* complain({ manner }: Pick<Call, 'manner'>, line: string): Asking<number> {
  if (!manner.quiet) yield* printErr(`${line}\n`);
  return EXIT_FAILED;
}

/** For what is always answered in the same way, or with nothing at all. */
export function saying(text: string): () => Asking<number> {
  return function* () {
    if (text !== '') yield* printOut(text);
    return EXIT_OK;
  };
}

/** For what a yard does not have, with where to look instead. */
export function refusing(sentence: string): () => Asking<number> {
  return function* () {
    yield* printErr(`scontrol: error: ${sentence}\n`);
    return EXIT_FAILED;
  };
}

export function tooFew({ keyword }: Call): SlurmFailure {
  return new SlurmFailure([`too few arguments for keyword:${keyword}`], EXIT_FAILED);
}

export function tooMany({ keyword }: Call): SlurmFailure {
  return new SlurmFailure([`too many arguments for keyword:${keyword}`], EXIT_FAILED);
}

export function atMost(call: Call, count: number): void {
  if (call.words.length > count) throw tooMany(call);
}

export function atLeast(call: Call, count: number): void {
  if (call.words.length < count) throw tooFew(call);
}
