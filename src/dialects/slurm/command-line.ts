/** Options read as Slurm's commands read them, with getopt's own complaints. Knows no option of any command. */

import { type OptionError, type OptionSpec, type ParsedArguments, parseOptions } from '../options.ts';
import { SlurmFailure } from './failure.ts';

export interface CommandLineStyle {
  readonly command: string;
  /** Whether the first word that is no option begins another command line, as a script and its arguments. */
  readonly positionals: 'anywhere' | 'endOptions';
  /** 255 where the original gives up with exit(-1). */
  readonly exitCode: number;
  /** Whether a line about `--help` follows the complaint, as with most. */
  readonly hint?: boolean;
}

export function readCommandLine(
  specs: readonly OptionSpec[],
  argv: readonly string[],
  { command, positionals, exitCode, hint = true }: CommandLineStyle,
): ParsedArguments {
  const outcome = parseOptions(specs, argv, positionals);
  if (outcome.ok) return outcome.arguments;
  const lines = hint ? [`Try "${command} --help" for more information`] : [];
  throw new SlurmFailure([`${command}: ${complaint(outcome.error)}`, ...lines], exitCode);
}

function complaint(error: OptionError): string {
  const { written } = error;
  const isLong = written.startsWith('--');
  const letter = written.slice(1);
  switch (error.kind) {
    case 'unknown':
      return isLong ? `unrecognized option '${error.word}'` : `invalid option -- '${letter}'`;
    case 'ambiguous':
      return `option '${error.word}' is ambiguous; possibilities: ${error.choices.map((choice) => `'${choice}'`).join(' ')}`;
    case 'missingValue':
      return isLong
        ? `option '--${error.name}' requires an argument`
        : `option requires an argument -- '${letter}'`;
    case 'unexpectedValue':
      return `option '--${error.name}' doesn't allow an argument`;
  }
}
