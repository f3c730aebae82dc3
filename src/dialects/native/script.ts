/**
 * A script as it was handed in: whether it can be one at all, and the `#YARD` lines at its head. Its bytes are
 * never changed.
 */

import { MOST_SCRIPT_BYTES } from '../../model/bounds.ts';
import { formatBytes } from '../../model/units.ts';
import { quoted } from '../text/words.ts';
import { type DirectiveLine, lateNote, TOO_LONG, yardLines } from '../yard-lines.ts';
import { refusalError } from './failure.ts';

export interface ScriptHead {
  /** What follows `#YARD`, line by line. */
  readonly directives: readonly DirectiveLine[];
  /** Sentences about lines that look like directives and are not read. */
  readonly notes: readonly string[];
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
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

export function readHead(bytes: Uint8Array): ScriptHead {
  const { lines, lateLine, foreignMark, isTooLong } = yardLines(bytes);
  if (isTooLong) throw refusalError('tooLarge', TOO_LONG);
  const notes: string[] = [];
  if (lateLine !== null) notes.push(lateNote(lateLine));
  if (foreignMark !== null)
    notes.push(`${quoted(foreignMark)} lines are not read here, only #YARD lines are`);
  return { directives: lines, notes };
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
