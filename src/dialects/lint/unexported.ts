/**
 * Variables that a script sets for the programs it runs, without exporting them: the program never sees them. It is
 * asked at submission as well, so it must be quick, and it is silent whenever the variable may have a reader after all.
 */

import { textFromBytes } from '../../model/bytes.ts';
import { baseName } from '../../model/paths.ts';
import { interpreterOf, isForShell } from './interpreter.ts';
import { BUILTINS, LOGIN_VARIABLES, PLAIN_TOOLS, SHELL_VARIABLES } from './known-words.ts';
import { readShell } from './shell/read.ts';
import { type Assignment, programOf, type Word } from './shell/script.ts';
import { allCommands, ownWords, type Placed } from './shell/walk.ts';

export interface UnexportedVariable {
  readonly name: string;
  /** Where it is set, from 1. */
  readonly line: number;
  /** The first program that does not see it, as written, and where it is run. */
  readonly program: string;
  readonly programLine: number;
}

/** Nobody reads more of them. */
const MOST_NAMES = 50;

/** `isInEnvironment`: whether the job has the variable from outside; assigned to, it then stays exported. */
export function unexportedVariables(
  bytes: Uint8Array,
  isInEnvironment: (name: string) => boolean,
): readonly UnexportedVariable[] {
  const text = textFromBytes(bytes);
  const interpreter = interpreterOf(text);
  if (!isForShell(interpreter) || / -\w*a/.test(` ${interpreter?.argument ?? ''}`)) return [];
  // Most scripts have no such assignment, and need not be read.
  if (!/^[ \t]*[A-Z][A-Z0-9_]{2,}=/m.test(text)) return [];
  const script = readShell(text);
  return script === null ? [] : unexportedIn(allCommands(script.list), text, isInEnvironment);
}

export function unexportedIn(
  placed: readonly Placed[],
  text: string,
  isInEnvironment: (name: string) => boolean,
): readonly UnexportedVariable[] {
  if (placed.some(mayReadAnything)) return [];
  const functions = new Set(
    placed.flatMap(({ command }) => (command.kind === 'function' ? command.name : [])),
  );
  const programs = placed.filter((each) => readsItsEnvironment(each, functions));
  const plainText = withoutComments(text);
  const first = new Map(
    assignmentsForOthers(placed)
      .toReversed()
      .map((each) => [each.name, each]),
  );
  return [...first.values()]
    .filter(({ name }) => !isInEnvironment(name))
    .sort((a, b) => a.at - b.at)
    .slice(0, MOST_NAMES)
    .flatMap(({ name, line, at }) => {
      const program = programs.find((each) => each.command.at > at || isInFunction(each));
      if (program === undefined || isMentioned(name, plainText, placed)) return [];
      const [word, next] = program.command.words;
      const written = (word?.text === 'exec' ? next : word)?.raw ?? '';
      return [{ name, line, program: written, programLine: program.command.line }];
    });
}

/** In capitals, as variables for others are, in the script's own shell, and with a value that is written out. */
function assignmentsForOthers(placed: readonly Placed[]): readonly Assignment[] {
  return placed.flatMap(({ command, around }) => {
    const isPlain = command.words.length === 0 && around.within.length === 0 && !around.isApart;
    return isPlain ? command.assignments.filter(isForOthers) : [];
  });
}

function isForOthers({ name, isArray, word }: Assignment): boolean {
  return (
    /^[A-Z][A-Z0-9_]{2,}$/.test(name) &&
    !isArray &&
    word.substitutions.length === 0 &&
    // `SEED=$1` gives a name to an argument, for whoever reads the script.
    !word.uses.some((use) => /^(?:\d+|[@*#])$/.test(use.name)) &&
    !SHELL_VARIABLES.has(name) &&
    !LOGIN_VARIABLES.has(name)
  );
}

/** `set -a` exports whatever is assigned, and what `eval` and `.` read is not in front of us. */
function mayReadAnything({ command }: Placed): boolean {
  const [program, ...rest] = command.words;
  const texts = rest.map(({ text }) => text);
  switch (program?.text) {
    case 'set':
      return texts.some((text) => text === null || /^-\w*a/.test(text) || text === 'allexport');
    case 'eval':
      return !rest.every(isShellHook);
    case '.':
    case 'source':
      return !isWellKnownFile(rest[0]);
    default:
      // The value of one variable may be the name of another: `${!NAME}`.
      return ownWords(command).some(({ uses }) => uses.some(({ operator }) => operator === '!'));
  }
}

const SETS_UP_SHELLS = /(?:^|\/)(?:conda|mamba|micromamba|pyenv|trainyard|ssh-agent|brew|direnv)$/;
const SHELL_FILES =
  /(?:\/|^)(?:activate|\.?bashrc|\.bash_profile|\.?profile|\.zshrc|(?:conda|mamba|modules|lmod|init|setvars|settings)\.sh|bash|sh)"?$/;

/** `eval "$(conda shell.bash hook)"` and its like set up programs; they read nothing of the script's. */
function isShellHook({ substitutions, raw }: Word): boolean {
  const programs = substitutions.flatMap((list) => list.map(({ stages }) => stages[0]?.words[0]?.text ?? ''));
  const isAllOfIt = /^"?(?:\$\(|`)/.test(raw) && /[)`]"?$/.test(raw);
  return isAllOfIt && programs.length === 1 && SETS_UP_SHELLS.test(programs[0] as string);
}

/** The files that set up a shell, or an environment of Python. */
export function isWellKnownFile(word: Word | undefined): boolean {
  return SHELL_FILES.test(word?.raw ?? '');
}

function readsItsEnvironment({ command, around }: Placed, functions: ReadonlySet<string | null>): boolean {
  if (command.kind !== 'simple' || command.words.length === 0 || around.isSubstituted) return false;
  const program = programOf(command);
  if (program === null) return /^["']?[$~]/.test(command.words[0]?.raw ?? '');
  const name = baseName(program);
  if (program === 'exec') return command.words.length > 1;
  return !BUILTINS.has(program) && !PLAIN_TOOLS.has(name) && !functions.has(program);
}

function isInFunction({ around }: Placed): boolean {
  return around.within.some(({ kind }) => kind === 'function');
}

/** Whether the script says the name anywhere but where it sets it: it may be used there, by whatever way. */
function isMentioned(name: string, text: string, placed: readonly Placed[]): boolean {
  const isUsed = placed.some(({ command }) =>
    ownWords(command).some(({ raw, uses }) => {
      if (!uses.some((use) => use.name === name)) return false;
      return !raw.startsWith(`${name}=`) && !raw.startsWith(`${name}+=`);
    }),
  );
  if (isUsed) return true;
  const setting = placed.flatMap(({ command }) =>
    command.words.length === 0 ? command.assignments.filter((each) => each.name === name) : [],
  );
  const own = setting.map(({ at, word }) => [at, at + word.raw.length] as const);
  for (const { index } of text.matchAll(new RegExp(`(?<![A-Za-z0-9_])${name}(?![A-Za-z0-9_])`, 'g'))) {
    if (!own.some(([start, end]) => index >= start && index < end)) return true;
  }
  return false;
}

/** Blanks out lines that are nothing but a comment, and keeps all others where they are. */
function withoutComments(text: string): string {
  return text.replaceAll(/^[ \t]*#.*$/gm, (comment) => ' '.repeat(comment.length));
}
