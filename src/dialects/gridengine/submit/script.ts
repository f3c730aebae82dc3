/** What a job runs: a script from a file or standard input, or with `-b y` a command that is found when it starts. */

import { MOST_SCRIPT_BYTES } from '../../../model/bounds.ts';
import type { Program } from '../../../model/job-spec.ts';
import { absolutePath } from '../../../model/paths.ts';
import { type Asking, readFile, readStdin } from '../../program.ts';
import { GridEngineFailure } from '../failure.ts';
import { hasFlag, lastWord } from '../flags.ts';
import { rejected, unreadable } from './complaints.ts';
import type { AskedFlag } from './layers.ts';
import { nameFrom } from './names.ts';
import { QUEUE_SHELL, shellCommand, shellNamed } from './shells.ts';
import { unreadableText } from './sources.ts';
import { parseYesNo } from './values.ts';

export interface ScriptText {
  readonly kind: 'script';
  readonly bytes: Uint8Array;
  /** The path as it was given, or `STDIN`. */
  readonly called: string;
  readonly args: readonly string[];
}

export interface PlainCommand {
  readonly kind: 'command';
  readonly called: string;
  readonly args: readonly string[];
}

export type Executable = ScriptText | PlainCommand;

const STDIN = 'STDIN';
const NO_INPUT = 4;
/** Grid Engine's own, whatever the submitter's is. */
const UMASK = 0o022;

/** The words after the flags: a command and its arguments, or `-` and arguments for what comes from standard input. */
export function* scriptFrom(words: readonly string[], workDir: string): Asking<ScriptText> {
  const [path = '-', ...args] = words;
  if (path === '-') {
    const read = yield* readStdin(MOST_SCRIPT_BYTES);
    if (!read.ok || read.bytes.length === 0) throw unreadable('no input read from stdin', NO_INPUT);
    return { kind: 'script', bytes: read.bytes, called: STDIN, args };
  }
  const read = path === '' ? NOTHING : yield* readFile(absolutePath(workDir, path), MOST_SCRIPT_BYTES);
  if (!read.ok) {
    const failed = unreadable(...unreadableText(read.error, path));
    if (read.error !== 'directory') throw failed;
    const first = `error: fread("${path}") failed: Is a directory`;
    throw new GridEngineFailure([first, ...failed.lines], failed.exitCode);
  }
  if (read.bytes.length === 0) throw rejected('job rejected: no script in your request');
  return { kind: 'script', bytes: read.bytes, called: path, args };
}

const NOTHING = { ok: false, error: 'missing' } as const;

/** Null when none was given. */
export function commandFrom([called, ...args]: readonly string[]): PlainCommand | null {
  return called === undefined || called === '-' ? null : { kind: 'command', called, args };
}

export function defaultNameOf({ called }: Executable): string {
  return nameFrom(called);
}

/** Without its blobs. */
export function programOf(executable: Executable, given: readonly AskedFlag[], home: string): Program {
  const plain = {
    script: null,
    environment: '',
    umask: UMASK,
    ulimits: {},
    spread: 'once',
    caller: null,
  } as const;
  const shell = (shellNamed(lastWord(given, '-S') ?? '') ?? QUEUE_SHELL).replaceAll('$HOME', home);
  const { args } = executable;
  if (executable.kind === 'script') {
    // The first line of a script says what runs it, whatever `-S` says.
    return { ...plain, argv: args, ...(hasShebang(executable.bytes) ? {} : { interpreter: [shell] }) };
  }
  const words = [executable.called, ...args];
  if (parseYesNo(lastWord(given, '-shell') ?? 'y') === false) return { ...plain, argv: words };
  return { ...plain, argv: shellCommand(shell, words, !hasFlag(given, '-V')) };
}

function hasShebang(bytes: Uint8Array): boolean {
  return bytes[0] === 0x23 && bytes[1] === 0x21;
}
