/** The `#SBATCH` lines of a script, option by option with its line, and what is wrong with them. */

import { type OptionError, parseOptions } from '../options.ts';
import { SlurmFailure } from '../slurm/failure.ts';
import { type DirectiveLine, directiveLines, wordsOfDirective } from '../slurm/submit/directives.ts';
import { SBATCH_OPTIONS } from '../slurm/submit/options.ts';
import { listed, quoted } from '../text/words.ts';
import { type Finding, findingOf } from './finding.ts';
import type { Asked, Directives } from './subject.ts';

const finding = findingOf('directive');

/** More than anybody writes. */
const MOST_LINES = 500;

export function slurmDirectives(bytes: Uint8Array): Directives {
  const read = directiveLines(bytes).lines.slice(0, MOST_LINES).map(readLine);
  return {
    asked: read.flatMap(({ asked }) => asked),
    findings: read.flatMap(({ findings }) => findings),
  };
}

function readLine(directive: DirectiveLine): Directives {
  const line = directive.lineNumber;
  const words = wordsIn(directive);
  if (words === null) {
    const sentence = 'sbatch cannot read this line, and refuses the script';
    const isQuote = /["']/.test(directive.text);
    const advice = isQuote ? 'close the quote' : 'leave out the colon';
    return { asked: [], findings: [finding('error', line, sentence, advice)] };
  }
  const parsed = parseOptions(SBATCH_OPTIONS, words, 'endOptions');
  if (!parsed.ok) return { asked: [], findings: [optionFinding(line, parsed.error)] };
  const { options, positionals, afterDashes } = parsed.arguments;
  const [stray] = [...positionals, ...(afterDashes ?? [])];
  // What stands before a stray word may have been meant otherwise.
  const sure = stray === undefined ? options : options.slice(0, -1);
  return {
    asked: sure.map(({ name, written, value }): Asked => ({ line, name, written, value })),
    findings: stray === undefined ? [] : [strayFinding(line, stray, directive.text)],
  };
}

/** Null when a quote is not closed, or a colon stands where an option should. */
function wordsIn(line: DirectiveLine): readonly string[] | null {
  try {
    return wordsOfDirective(line, '');
  } catch (error) {
    if (error instanceof SlurmFailure) return null;
    throw error;
  }
}

function optionFinding(line: number, error: OptionError): Finding {
  switch (error.kind) {
    case 'unknown': {
      if (/[\u2010-\u2015\u2212]/.test(error.word)) {
        const sentence = 'A long dash stands here, as text programs make of two short ones';
        return finding('error', line, sentence, 'write --');
      }
      const advice =
        error.nearest.length === 0 ? 'see sbatch --help' : `did you mean ${listed(error.nearest, 3, 'or')}?`;
      return finding('error', line, `sbatch has no option ${quoted(error.written)}`, advice);
    }
    case 'ambiguous': {
      const sentence = `${quoted(error.written)} could be ${listed(error.choices, 4, 'or')}`;
      return finding('error', line, sentence, 'write more of it');
    }
    case 'missingValue':
      return finding(
        'error',
        line,
        `${error.written} needs a value`,
        'write one behind it, on the same line',
      );
    case 'unexpectedValue':
      return finding('error', line, `${error.written} takes no value`, 'leave out what is behind its =');
  }
}

function strayFinding(line: number, stray: string, text: string): Finding {
  const sentence = `${quoted(stray)} belongs to no option, and sbatch refuses the script`;
  if (/\s=|=\s/.test(text)) {
    return finding('error', line, sentence, 'leave no space around =');
  }
  if (/^\w[\w-]*=/.test(stray)) return finding('error', line, sentence, `did you mean --${stray}?`);
  return finding('error', line, sentence, 'put a value with spaces in quotes, and a comment behind #');
}
