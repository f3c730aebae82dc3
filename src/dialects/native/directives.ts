/**
 * What a `#YARD` line says, in either way of saying it: `#YARD --cpus 4 --time 2h` or `#YARD cpus=4 time=2h`.
 * The words are split as a shell would, with quotes, backslashes and a comment at the end.
 */

import { type GivenOption, parseOptions } from '../options.ts';
import { listed, quoted } from '../text/words.ts';
import { commandLinesIn, type DirectiveLine } from '../yard-lines.ts';
import type { NativeOption } from './call.ts';
import { optionMistake, UsageError, usageError } from './failure.ts';

export function readDirectives(
  lines: readonly DirectiveLine[],
  options: readonly NativeOption[],
  called: string,
): readonly GivenOption[] {
  return lines.flatMap((line) => {
    try {
      return readLine(line, options);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message, hint, choices } = error.refusal;
      throw usageError(`${called} line ${line.lineNumber}: ${message}`, hint, choices);
    }
  });
}

function readLine(line: DirectiveLine, options: readonly NativeOption[]): readonly GivenOption[] {
  const commandLines = commandLinesIn(line);
  if (commandLines === null) throw usageError('a quote is not closed');
  const given = commandLines.flatMap((argv) => readWords(argv, options));
  const misplaced = given.filter(({ name }) => isCommandLineOnly(options, name));
  if (misplaced.length > 0) {
    const names = listed(misplaced.map(({ name }) => `--${name}`));
    throw usageError(`${names} can only be given on the command line`);
  }
  return given;
}

function readWords(argv: readonly string[], options: readonly NativeOption[]): readonly GivenOption[] {
  const parsed = parseOptions(options, argv, 'anywhere');
  if (!parsed.ok) throw optionMistake(parsed.error, 'trainyard submit --help');
  const { positionals, afterDashes } = parsed.arguments;
  const [stray] = [...positionals, ...(afterDashes ?? [])];
  if (stray !== undefined) {
    throw usageError(
      `${quoted(stray)} is no option`,
      'write #YARD --cpus 4 --hold, or #YARD cpus=4 hold, and one way in one line',
    );
  }
  return parsed.arguments.options;
}

function isCommandLineOnly(options: readonly NativeOption[], name: string): boolean {
  return options.some((option) => option.name === name && option.commandLineOnly === true);
}
