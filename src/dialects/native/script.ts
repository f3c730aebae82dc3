/**
 * A script as it was handed in: whether it can be one at all, and the `#YARD` lines at its head. Its bytes are
 * never changed.
 */

import { textFromBytes } from '../../model/bytes.ts';
import { formatBytes } from '../../model/units.ts';
import { quoted } from '../text/words.ts';
import { refusalError } from './failure.ts';

export const MOST_SCRIPT_BYTES = 10 * 1024 * 1024;

export interface DirectiveLine {
  readonly lineNumber: number;
  readonly text: string;
}

export interface ScriptHead {
  /** What follows `#YARD`, line by line. */
  readonly directives: readonly DirectiveLine[];
  /** Sentences about lines that look like directives and are not read. */
  readonly notes: readonly string[];
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const HASH = 0x23;
const MARK = '#YARD';
const BEGINNING_BYTES = 100;
const ELF = [0x7f, 0x45, 0x4c, 0x46];

/** Throws a refusal when the bytes are no script. `called` is how its user knows it: a path, or stdin. */
export function checkScript(bytes: Uint8Array, called: string, shownPath: string): void {
  if (bytes.length > MOST_SCRIPT_BYTES) throw tooLarge(called, formatBytes(bytes.length));
  if (ELF.every((byte, i) => bytes[i] === byte)) {
    throw refusalError(
      'badRequest',
      `${called} is a compiled program, not a script`,
      `run it as a command: trainyard submit -- ${shownPath}`,
    );
  }
  if (bytes.includes(0)) {
    throw refusalError(
      'badRequest',
      `${called} has NUL bytes in it, so it is no script`,
      `to run a program, put it after --: trainyard submit -- ${shownPath}`,
    );
  }
  if (hasDosLineEnd(bytes)) {
    throw refusalError(
      'badRequest',
      `${called} has DOS line endings (\\r\\n), which a shell takes as part of each line`,
      `convert it first: sed -i 's/\\r$//' ${shownPath}`,
    );
  }
  if (isBlank(bytes)) throw refusalError('badRequest', `${called} is empty`);
}

export function tooLarge(called: string, size: string | null) {
  const most = formatBytes(MOST_SCRIPT_BYTES);
  return refusalError(
    'tooLarge',
    size === null
      ? `${called} is larger than ${most}, the most a script may have`
      : `${called} has ${size}; a script may have ${most} at most`,
    'keep large data in a file of its own and let the script read it',
  );
}

/** Directives stand before the first command: among comments and blank lines. */
export function readHead(bytes: Uint8Array): ScriptHead {
  const directives: DirectiveLine[] = [];
  const notes: string[] = [];
  let inHead = true;
  let foreign: string | null = null;
  for (const { lineNumber, line } of commentLines(bytes)) {
    if (line === null) {
      inHead = false;
      continue;
    }
    const directive = /^#YARD(?:\s+(.*))?$/.exec(line);
    if (directive === null) {
      if (inHead) foreign ??= /^#(SBATCH|PBS|\$)(?=\s)/.exec(line)?.[0] ?? null;
      continue;
    }
    if (inHead) directives.push({ lineNumber, text: directive[1] ?? '' });
    else {
      notes.push(`line ${lineNumber}: a #YARD line after the first command has no effect`);
      break;
    }
  }
  if (foreign !== null) notes.push(`${quoted(foreign)} lines are not read here, only #YARD lines are`);
  return { directives, notes };
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

function hasDosLineEnd(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(RETURN); at !== -1; at = bytes.indexOf(RETURN, at + 1)) {
    if (bytes[at + 1] === NEWLINE) return true;
  }
  return false;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
