/**
 * Where flags come from, and in which order they count: the yard's request file, the user's, the directory's, the
 * script, the command line; the last one wins. Each is read by itself, so that a mistake is said to be where it is.
 */

import { absolutePath } from '../../../model/paths.ts';
import { type Asking, type ReadResult, readFile } from '../../program.ts';
import { GridEngineFailure } from '../failure.ts';
import { type GivenFlag, readFlags } from '../flags.ts';
import {
  type Complaint,
  complaint,
  complaintFailure,
  EXIT_UNKNOWN,
  EXIT_USAGE,
  exitOf,
  type FlagSource,
  isInteractive,
  saidBy,
  unreadable,
} from './complaints.ts';
import { requestWords } from './directives.ts';
import { missingWord, SUBMIT_FLAGS, type Submitter, submitFlag } from './flag-table.ts';

/** The flags of one source, in order. */
export interface Layer {
  readonly source: FlagSource;
  readonly flags: readonly GivenFlag[];
  /** What follows them. */
  readonly rest: readonly string[];
}

export interface Reader {
  readonly command: Submitter;
  readonly workDir: string;
}

/** Files that name files that name files: more of them is a mistake. */
const MOST_NESTED = 10;
const MOST_FILE_BYTES = 1024 * 1024;

/** Reads words as flags, with those of the files that `-@` names in its place. Throws the first complaint. */
export function* readLayer(
  reader: Reader,
  source: FlagSource,
  words: readonly string[],
  depth = 0,
): Asking<Layer> {
  const { command } = reader;
  const { own, afterDashes } = untilDashes(words, source);
  const outcome = readFlags(SUBMIT_FLAGS, own, 'endFlags');
  if (!outcome.ok) {
    const { error } = outcome;
    const wrong =
      error.kind === 'unknown'
        ? complaint(EXIT_USAGE, `invalid option argument "${error.written}"`)
        : missingWord(error.flag, error.missing);
    throw complaintFailure(wrong, command, source);
  }
  const { flags: given, positionals } = outcome.read;
  for (const flag of given) {
    const wrong = flagComplaint(flag);
    if (wrong !== null) throw complaintFailure(wrong, command, source);
  }
  if (source !== 'commandLine' && positionals.length > 0) throw foreign(command, ['']);
  checkKnown(command, source, given);
  const flags: GivenFlag[] = [];
  for (const flag of given) {
    if (flag.flag !== '-@') flags.push(flag);
    else flags.push(...(yield* flagsOfFile(reader, flag.words[0] ?? '', depth)));
  }
  return { source, flags, rest: afterDashes === null ? positionals : ['-', ...afterDashes] };
}

/** After `--` come the arguments of a script from standard input. */
function untilDashes(
  words: readonly string[],
  source: FlagSource,
): { readonly own: readonly string[]; readonly afterDashes: readonly string[] | null } {
  if (source !== 'commandLine') return { own: words, afterDashes: null };
  let at = 0;
  while (at < words.length) {
    const word = words[at] as string;
    if (word === '--') return { own: words.slice(0, at), afterDashes: words.slice(at + 1) };
    if (word === '-' || !word.startsWith('-')) break;
    const flag = submitFlag(word);
    const more = flag?.ahead?.includes(words[at + 1] ?? '') === true ? 1 : 0;
    at += 1 + (flag?.words ?? 0) + more;
  }
  return { own: words, afterDashes: null };
}

function flagComplaint({ flag, words }: GivenFlag): Complaint | null {
  return submitFlag(flag)?.check?.(words, flag) ?? null;
}

/** Flags that only other commands have are told apart from those that nobody has. */
function checkKnown(command: Submitter, source: FlagSource, given: readonly GivenFlag[]): void {
  const strange = given.filter(({ flag }) => submitFlag(flag)?.by.includes(command) !== true);
  if (source !== 'commandLine' && given.some(({ flag }) => flag === '-help')) {
    throw new GridEngineFailure([`${command}: -help not allowed in this context`], EXIT_UNKNOWN);
  }
  if (strange.length === 0) return;
  throw foreign(
    command,
    strange.map(({ flag, words }) => (isInteractive(command) ? flag : [flag, ...words].join(' '))),
  );
}

function foreign(command: Submitter, written: readonly string[]): GridEngineFailure {
  return new GridEngineFailure(
    written.flatMap((each) => [
      `${saidBy(command)}Unknown option ${each}`,
      ...(isInteractive(command) ? [] : ['']),
    ]),
    exitOf(command, EXIT_UNKNOWN),
  );
}

function* flagsOfFile(reader: Reader, path: string, depth: number): Asking<readonly GivenFlag[]> {
  if (depth >= MOST_NESTED) {
    const wrong = complaint(EXIT_USAGE, `-@ ${path}: files of options name each other without end`);
    throw complaintFailure(wrong, reader.command, 'commandLine');
  }
  const read = yield* readFile(absolutePath(reader.workDir, path), MOST_FILE_BYTES);
  if (!read.ok) throw unreadable(...unreadableText(read.error, path));
  return (yield* readLayer(reader, 'file', requestWords(read.bytes), depth + 1)).flags;
}

/** One request file as a layer; null when there is none, or nobody may read it. */
export function* requestFileLayer(reader: Reader, path: string): Asking<Layer | null> {
  const read = yield* readFile(path, MOST_FILE_BYTES);
  if (read.ok) return yield* readLayer(reader, 'file', requestWords(read.bytes));
  if (read.error === 'missing' || read.error === 'denied') return null;
  const [text, exitCode] = unreadableText(read.error, path);
  throw new GridEngineFailure([text], exitCode);
}

const NOT_OPENED = 14;
const NOT_READ = 4;

/** What the original says of a file that it cannot read, and with which exit code it ends. */
export function unreadableText(
  error: Extract<ReadResult, { ok: false }>['error'],
  path: string,
): [text: string, exitCode: number] {
  switch (error) {
    case 'missing':
      return [`error opening ${path}: No such file or directory`, NOT_OPENED];
    case 'denied':
      return [`error opening ${path}: Permission denied`, NOT_OPENED];
    case 'directory':
    case 'tooLarge':
    case 'unreadable':
      return [`error reading from file ${path}`, NOT_READ];
  }
}
