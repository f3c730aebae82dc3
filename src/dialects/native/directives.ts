/**
 * What a `#YARD` line says, in either way of saying it: `#YARD --cpus 4 --time 2h` or `#YARD cpus=4 time=2h`.
 * The words are split as a shell would, with quotes, backslashes and a comment at the end.
 */

import { type GivenOption, parseOptions } from '../options.ts';
import { listed, quoted } from '../text/words.ts';
import type { NativeOption } from './call.ts';
import { optionMistake, UsageError, usageError } from './failure.ts';
import type { DirectiveLine } from './script.ts';

export function readDirectives(
  lines: readonly DirectiveLine[],
  options: readonly NativeOption[],
  called: string,
): readonly GivenOption[] {
  return lines.flatMap((line) => {
    try {
      return readLine(line.text, options);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message, hint, choices } = error.refusal;
      throw usageError(`${called} line ${line.lineNumber}: ${message}`, hint, choices);
    }
  });
}

function readLine(text: string, options: readonly NativeOption[]): readonly GivenOption[] {
  const words = splitWords(text);
  if (words === null) throw usageError('a quote is not closed');
  const argv = words[0]?.startsWith('-') === true ? words : words.map((word) => `--${word}`);
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
  const misplaced = parsed.arguments.options.filter((given) => isCommandLineOnly(options, given.name));
  if (misplaced.length > 0) {
    const names = listed(misplaced.map(({ name }) => `--${name}`));
    throw usageError(`${names} can only be given on the command line`);
  }
  return parsed.arguments.options;
}

function isCommandLineOnly(options: readonly NativeOption[], name: string): boolean {
  return options.some((option) => option.name === name && option.commandLineOnly === true);
}

/** Null when a quote is not closed. */
function splitWords(text: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote !== null) {
      if (char === quote) quote = null;
      else if (char === '\\' && quote === '"' && /["\\$`]/.test(text.charAt(at + 1)))
        word += text.charAt(++at);
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && at + 1 < text.length) {
      word = (word ?? '') + text.charAt(++at);
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (char === '#' && word === null) {
      break;
    } else {
      word = (word ?? '') + char;
    }
  }
  if (quote !== null) return null;
  if (word !== null) words.push(word);
  return words;
}
