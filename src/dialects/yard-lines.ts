/**
 * The `#YARD` lines of a script, for whatever system it is written: to everyone else they are comments. They stand
 * before its first command, among comments and blank lines. Which options there are is not known here.
 */

import { MOST_DIRECTIVE_BYTES } from '../model/bounds.ts';
import { textFromBytes } from '../model/bytes.ts';
import { shellWords } from './text/shell-words.ts';

export interface DirectiveLine {
  readonly lineNumber: number;
  /** What follows the mark. */
  readonly text: string;
}

export interface YardLines {
  readonly lines: readonly DirectiveLine[];
  /** The first one that comes too late to be read; null: none does. */
  readonly lateLine: number | null;
  /** `#SBATCH`, `#PBS` or `#$`, where there are such lines; null: there are none. */
  readonly foreignMark: string | null;
  /** There are more than are read. */
  readonly isTooLong: boolean;
}

/** What is said of a script that has more of them than are read. */
export const TOO_LONG = `the #YARD lines have more than ${MOST_DIRECTIVE_BYTES} bytes together`;

const NEWLINE = 0x0a;
const HASH = 0x23;
const MARK = '#YARD';
const BEGINNING_BYTES = 100;

export function yardLines(script: Uint8Array): YardLines {
  const lines: DirectiveLine[] = [];
  let lateLine: number | null = null;
  let inHead = true;
  let characters = 0;
  let foreignMark: string | null = null;
  for (const { lineNumber, line } of commentLines(script)) {
    if (line === null) {
      inHead = false;
      continue;
    }
    const directive = /^#YARD(?:\s+(.*))?$/.exec(line);
    if (directive === null) {
      if (inHead) foreignMark ??= /^#(SBATCH|PBS|\$)(?=\s)/.exec(line)?.[0] ?? null;
      continue;
    }
    if (!inHead) {
      lateLine = lineNumber;
      break;
    }
    characters += line.length;
    if (characters > MOST_DIRECTIVE_BYTES) return { lines, lateLine, foreignMark, isTooLong: true };
    lines.push({ lineNumber, text: directive[1] ?? '' });
  }
  return { lines, lateLine, foreignMark, isTooLong: false };
}

export function lateNote(lineNumber: number): string {
  return `line ${lineNumber}: a #YARD line after the first command has no effect`;
}

/**
 * One line as command lines to read one by one: `--cpus 4 --hold` is one, and of `cpus=4 hold` each word is, so that
 * none takes the next for its value. Null when a quote is not closed.
 */
export function commandLinesIn({ text }: DirectiveLine): readonly (readonly string[])[] | null {
  const words = shellWords(text);
  if (words === null || words[0]?.startsWith('-') === true) return words === null ? null : [words];
  return words.map((word) => [`--${word}`]);
}

/** Comment lines as text, and null once for the first command. Blank lines say nothing. */
function* commentLines(bytes: Uint8Array): Generator<{ lineNumber: number; line: string | null }> {
  let start = 0;
  let lineNumber = 0;
  let commandSeen = false;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    lineNumber += 1;
    if (bytes[start] === HASH) {
      // A line may be as long as the script: of one that is no directive the beginning is enough.
      const isDirective = textFromBytes(bytes.subarray(start, start + MARK.length)) === MARK;
      const shownEnd = isDirective ? end : Math.min(end, start + BEGINNING_BYTES);
      yield { lineNumber, line: textFromBytes(bytes.subarray(start, shownEnd)) };
    } else if (!commandSeen && !isBlank(bytes.subarray(start, end))) {
      const line = textFromBytes(bytes.subarray(start, Math.min(end, start + BEGINNING_BYTES))).trimStart();
      if (!line.startsWith('#')) {
        commandSeen = true;
        yield { lineNumber, line: null };
      }
    }
    start = end + 1;
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
