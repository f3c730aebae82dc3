/**
 * The `#YARD` lines of a script that is written for another system. They say there what is to be kept of the job, how it
 * shares GPUs, and which exit codes queue it again; what it wants otherwise, it says to that system in that system's lines.
 */

import { GPU_OPTIONS, isGpuWord } from './gpu-words.ts';
import { isKeepingWord, KEEPING_OPTIONS } from './keeping-words.ts';
import { KeepingMistake } from './kept-directories.ts';
import { SUBMIT_OPTIONS } from './native/submit-options.ts';
import { type GivenOption, type OptionError, parseOptions } from './options.ts';
import { isRequeueWord, REQUEUE_OPTIONS } from './requeue-words.ts';
import { listed, quoted } from './text/words.ts';
import { commandLinesIn, type DirectiveLine, lateNote, TOO_LONG, yardLines } from './yard-lines.ts';

export interface ForeignYardLines {
  readonly given: readonly GivenOption[];
  /** Sentences about what has no effect. */
  readonly warnings: readonly string[];
}

function isReadHere(name: string): boolean {
  return isKeepingWord(name) || isGpuWord(name) || isRequeueWord(name);
}

/** Throws a KeepingMistake. */
export function foreignYardLines(script: Uint8Array): ForeignYardLines {
  const { lines, lateLine, isTooLong } = yardLines(script);
  if (isTooLong) throw new KeepingMistake(TOO_LONG, null);
  const all = lines.flatMap(readYardLine);
  const others = [...new Set(all.filter(({ name }) => !isReadHere(name)).map(({ name }) => name))];
  return {
    given: all.filter(({ name }) => isReadHere(name)),
    warnings: [
      ...(lateLine === null ? [] : [lateNote(lateLine)]),
      ...(others.length === 0
        ? []
        : [`#YARD ${listed(others)}: only \`trainyard submit\` reads that, so it has no effect here`]),
    ],
  };
}

/** Options are called by their names, as they are mostly written there: `keep=3`. Throws a KeepingMistake. */
export function readYardLine(line: DirectiveLine): readonly GivenOption[] {
  const mistake = (sentence: string, hint: string | null = null) =>
    new KeepingMistake(`#YARD in line ${line.lineNumber}: ${sentence}`, hint);
  const commandLines = commandLinesIn(line);
  if (commandLines === null) throw mistake('a quote is not closed');
  return commandLines.flatMap((argv) => {
    const parsed = parseOptions(SUBMIT_OPTIONS, argv, 'anywhere');
    if (!parsed.ok) throw mistake(...optionMistake(parsed.error));
    const { positionals, afterDashes, options } = parsed.arguments;
    const [stray] = [...positionals, ...(afterDashes ?? [])];
    if (stray !== undefined) {
      throw mistake(`${quoted(stray)} says nothing`, 'write name=value, and words with spaces in quotes');
    }
    return options.map((option) => ({ ...option, written: option.name }));
  });
}

function optionMistake(error: OptionError): [sentence: string, hint: string | null] {
  const bare = (option: string) => option.replace(/^--?/, '');
  const written = quoted(bare(error.written));
  switch (error.kind) {
    case 'unknown': {
      const meant = error.nearest.map(bare).filter(isReadHere);
      return [
        `there is no word ${written}`,
        meant.length === 0
          ? `there are ${listed(
              [...KEEPING_OPTIONS, ...GPU_OPTIONS, ...REQUEUE_OPTIONS].map(({ name }) => name),
              20,
            )}`
          : `did you mean ${listed(meant, 3, 'or')}?`,
      ];
    }
    case 'ambiguous':
      return [`${written} could be ${listed(error.choices.map(bare), 5, 'or')}`, 'write more of it'];
    case 'missingValue':
      return [`${bare(error.written)} needs a value`, `as in ${bare(error.written)}=…`];
    case 'unexpectedValue':
      return [`${bare(error.written)} takes no value`, null];
  }
}
