/** The script of a batch job: where it is found, and whether it can be one. Its bytes are never changed. */

import { MOST_SCRIPT_BYTES } from '../../../model/bounds.ts';
import { bytesFromText } from '../../../model/bytes.ts';
import { absolutePath, baseName } from '../../../model/paths.ts';
import { variableOf } from '../../environment.ts';
import { type Asking, type Invocation, type ReadResult, readFile, readStdin } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { complaint, SubmissionRefused } from './complaints.ts';

/** Slurm's own sentence for a script that is too large. */
export const TOO_LONG = 'Pathname of a file, directory or other parameter too long';

export interface BatchScript {
  readonly bytes: Uint8Array;
  /** What the job is called when nobody says. */
  readonly name: string;
  /** For complaints about a line of it. */
  readonly called: string;
  /** Where it was found; null when it came otherwise. */
  readonly path: string | null;
}

export function wrappedScript(text: string): BatchScript {
  const bytes = bytesFromText(`#!/bin/sh\n# This script was created by sbatch --wrap.\n\n${text}\n`);
  return checked({ bytes, name: 'wrap', called: 'wrap', path: null });
}

export function* scriptFromStdin(): Asking<BatchScript> {
  const read = yield* readStdin(MOST_SCRIPT_BYTES);
  return checked({ bytes: bytesOf(read, 'stdin'), name: 'sbatch', called: 'stdin', path: null });
}

/** From the directory where the job will run, from here, or from wherever programs are found. */
export function* scriptFromFile(
  { workDir, environment }: Invocation,
  script: string,
  jobDir: string,
): Asking<BatchScript> {
  for (const path of placesOf(script, workDir, jobDir, environment)) {
    const read = yield* readFile(path, MOST_SCRIPT_BYTES);
    if (!read.ok && read.error === 'missing') continue;
    return checked({ bytes: bytesOf(read, script), name: baseName(path), called: script, path });
  }
  throw unreadable(script);
}

/** One after the other, since the first is mostly the one. */
function* placesOf(
  script: string,
  workDir: string,
  jobDir: string,
  environment: Uint8Array,
): Generator<string, void> {
  if (script.startsWith('/')) return yield script;
  yield absolutePath(jobDir, script);
  if (jobDir !== workDir) yield absolutePath(workDir, script);
  if (script.startsWith('.')) return;
  for (const directory of (variableOf(environment, 'PATH') ?? '').split(':')) {
    if (directory !== '') yield absolutePath(absolutePath(workDir, directory), script);
  }
}

function bytesOf(read: ReadResult, called: string): Uint8Array {
  if (read.ok) return read.bytes;
  if (read.error === 'tooLarge') throw new SubmissionRefused(TOO_LONG);
  // To the original a directory is a file with nothing in it.
  if (read.error === 'directory') return new Uint8Array(0);
  throw unreadable(called);
}

function unreadable(script: string): SlurmFailure {
  return complaint('sbatch', `Unable to open file ${script}`, 1);
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

function checked(script: BatchScript): BatchScript {
  const mistake = mistakeIn(script.bytes);
  if (mistake === null) return script;
  throw new SlurmFailure(
    mistake.map((line) => `sbatch: error: ${line}`),
    1,
  );
}

function mistakeIn(bytes: Uint8Array): readonly string[] | null {
  if (bytes.length === 0) return ['Batch script is empty!'];
  if (isBlank(bytes)) return ['Batch script contains only whitespace!'];
  if (bytes[0] !== 0x23 || bytes[1] !== 0x21) {
    return [
      'This does not look like a batch script.  The first',
      'line must start with #! followed by the path to an interpreter.',
      'For instance: #!/bin/sh',
    ];
  }
  if (bytes.includes(0)) {
    return ['The Slurm controller does not allow scripts that', `contain a NULL character '\\0'.`];
  }
  if (hasDosLineBreak(bytes)) {
    return ['Batch script contains DOS line breaks (\\r\\n)', 'instead of expected UNIX line breaks (\\n).'];
  }
  return null;
}

function hasDosLineBreak(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(RETURN); at !== -1; at = bytes.indexOf(RETURN, at + 1)) {
    if (bytes[at + 1] === NEWLINE) return true;
  }
  return false;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
