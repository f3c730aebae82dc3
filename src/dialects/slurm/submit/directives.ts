/**
 * The `#SBATCH` lines of a script, for whatever interpreter it is written: they end where the first line comes that
 * is neither blank nor a comment. Words are split as Slurm splits them, which is not quite as a shell does.
 */

import { MOST_DIRECTIVE_BYTES } from '../../../model/bounds.ts';
import { textFromBytes } from '../../../model/bytes.ts';
import type { GivenOption } from '../../options.ts';
import { readCommandLine } from '../command-line.ts';
import { SlurmFailure } from '../failure.ts';
import { complaint, EXIT_OPTION } from './complaints.ts';
import { SBATCH_OPTIONS } from './options.ts';

export interface Directives {
  readonly given: readonly GivenOption[];
  /** `#PBS` and `#BSUB`, where there are such lines. */
  readonly foreign: readonly string[];
}

export interface DirectiveLine {
  readonly lineNumber: number;
  /** What follows `#SBATCH`. */
  readonly text: string;
}

const MARK = '#SBATCH';
const FOREIGN_MARKS = ['#PBS', '#BSUB'];
const NEWLINE = 0x0a;
const HASH = 0x23;
/** Enough to see whether a line is a directive. */
const BEGINNING_BYTES = 8;

/** `called` is how the script is named in complaints. */
export function readDirectives(script: Uint8Array, called: string): Directives {
  const { lines, foreign, isTooLong } = directiveLines(script);
  if (isTooLong) {
    const sentence = `the ${MARK} lines of ${called} have more than ${MOST_DIRECTIVE_BYTES} bytes together`;
    throw complaint('sbatch', `Batch job submission failed: ${sentence}`, 1);
  }
  const words = lines.flatMap((line) => wordsOfDirective(line, called));
  if (words.includes('hetjob') || words.includes('packjob')) {
    throw complaint('sbatch', 'Batch job submission failed: heterogeneous jobs are not supported here', 1);
  }
  const style = { command: 'sbatch', positionals: 'endOptions', exitCode: EXIT_OPTION } as const;
  const { options, positionals, afterDashes } = readCommandLine(SBATCH_OPTIONS, words, style);
  const [stray] = [...positionals, ...(afterDashes ?? [])];
  if (stray !== undefined) {
    throw complaint('sbatch', `Invalid directive found in batch script: ${stray}`, EXIT_OPTION);
  }
  return { given: options, foreign };
}

/** Options are looked for line by line, but only as far as the script has no command of its own. */
export function directiveLines(script: Uint8Array): {
  readonly lines: readonly DirectiveLine[];
  readonly foreign: readonly string[];
  /** There are more than are read. */
  readonly isTooLong: boolean;
} {
  let bytes = 0;
  const lines: DirectiveLine[] = [];
  const foreign = new Set<string>();
  let start = 0;
  for (let lineNumber = 1; start < script.length; lineNumber++) {
    const newline = script.indexOf(NEWLINE, start);
    const end = newline === -1 ? script.length : newline;
    const line = script.subarray(start, end);
    if (line[0] === HASH) {
      const beginning = textFromBytes(line.subarray(0, BEGINNING_BYTES));
      if (beginning.startsWith(MARK)) {
        bytes += line.length;
        if (bytes > MOST_DIRECTIVE_BYTES) return { lines, foreign: [...foreign], isTooLong: true };
        lines.push({ lineNumber, text: textFromBytes(line.subarray(MARK.length)) });
      }
      for (const mark of FOREIGN_MARKS) if (beginning.startsWith(`${mark} `)) foreign.add(mark);
    } else if (isCommand(line)) break;
    start = end + 1;
  }
  return { lines, foreign: [...foreign], isTooLong: false };
}

function isCommand(line: Uint8Array): boolean {
  const first = line.find((byte) => byte !== 0x20 && (byte < 0x09 || byte > 0x0d));
  return first !== undefined && first !== HASH;
}

/**
 * A `#` outside quotes begins a comment, even within a word. A backslash takes the meaning from what follows it,
 * except from a space. A word of nothing but quotes is none.
 */
export function wordsOfDirective({ lineNumber, text }: DirectiveLine, called: string): readonly string[] {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (/\s/.test(text.charAt(at))) at++;
    const beginning = at;
    if (text.charAt(at) === ':') throw unexpected(`Unexpected \`:\``, called, lineNumber, text.slice(at));
    let word = '';
    let quote = '';
    for (; at < text.length; at++) {
      const char = text.charAt(at);
      if (quote === '' && /[\s#]/.test(char)) break;
      if (char === '\\') {
        if (quote === '' && /\s/.test(text.charAt(at + 1))) continue;
        at += 1;
        word += text.charAt(at);
      } else if (quote === '' && (char === '"' || char === "'")) quote = char;
      else if (char === quote) quote = '';
      else word += char;
    }
    if (quote !== '') {
      throw unexpected(`Unmatched \`${quote}\``, called, lineNumber, ` ${text.slice(beginning)}`);
    }
    if (word !== '') words.push(word);
    if (at >= text.length || text.charAt(at) === '#') return words;
  }
}

function unexpected(what: string, called: string, lineNumber: number, rest: string): SlurmFailure {
  return new SlurmFailure([`sbatch: fatal: ${called}: line ${lineNumber}: ${what} in [${rest}]`], 1);
}
