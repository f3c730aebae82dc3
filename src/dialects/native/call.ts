/**
 * What a native command is made of (its row in the table of commands) and what it is given when it runs. How
 * options are parsed and where the table is kept is the business of others.
 */

import type { GivenOption, OptionSpec, PositionalStyle } from '../options.ts';
import type { Invocation, Program } from '../program.ts';
import type { Paint } from '../text/colour.ts';

export interface NativeOption extends OptionSpec {
  /** How its value is called in the help: `SIZE`. */
  readonly argument?: string;
  readonly help: string;
  /** It is about this one call, not about the job: a script cannot set it. */
  readonly commandLineOnly?: boolean;
}

export interface Example {
  readonly line: string;
  readonly says: string;
}

export interface NativeCommand {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly group: 'jobs' | 'yard';
  readonly summary: string;
  /** What follows the command's name. */
  readonly usage: readonly string[];
  /** Further lines of the help. */
  readonly about: readonly string[];
  readonly examples: readonly Example[];
  readonly options: readonly NativeOption[];
  readonly positionals: PositionalStyle;
  /** Whether words other than options mean anything to it. */
  readonly arguments: 'none' | 'some';
  /** `client` when the program at the user's end does it by itself; it is here for the help. */
  readonly run: ((call: Call) => Program) | 'client';
}

/** One call of one command. */
export interface Call {
  readonly invocation: Invocation;
  readonly options: readonly GivenOption[];
  readonly positionals: readonly string[];
  readonly afterDashes: readonly string[] | null;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly paint: Paint;
  /** Columns to fit tables into; null when the output is not a terminal. */
  readonly width: number | null;
  readonly zone: string;
}
