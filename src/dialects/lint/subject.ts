/**
 * A script as the rules see it: its text, what it asks for in directives, the commands in it, and the little that is
 * known of the machine it is looked at on. It is made once for all rules.
 */

import { textFromBytes } from '../../model/bytes.ts';
import type { Finding } from './finding.ts';
import { type Interpreter, interpreterOf, isForShell } from './interpreter.ts';
import { readShell } from './shell/read.ts';
import type { ShellScript, Use } from './shell/script.ts';
import { allCommands, type Placed, usesOf } from './shell/walk.ts';

export const SCRIPT_DIALECTS = ['slurm', 'gridengine'] as const;
export type ScriptDialect = (typeof SCRIPT_DIALECTS)[number];

/** One option of a directive. */
export interface Asked {
  readonly line: number;
  /** The long name in Slurm's, the flag with its dash in Grid Engine's. */
  readonly name: string;
  /** As written: `-o`, `--output`. */
  readonly written: string;
  readonly value: string | null;
}

export interface Directives {
  readonly asked: readonly Asked[];
  /** What is wrong with the lines themselves. */
  readonly findings: readonly Finding[];
}

export interface Subject {
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly lines: readonly string[];
  readonly interpreter: Interpreter | null;
  readonly isShell: boolean;
  /** Null when it is none, or could not be read: then there are no commands, and rules about them are silent. */
  readonly shell: ShellScript | null;
  readonly commands: readonly Placed[];
  readonly uses: readonly Use[];
  /** Null when it has directives of no system. */
  readonly dialect: ScriptDialect | null;
  readonly directives: Directives;
  /** Whether the job gets the variable from whoever submits it, or from the system that runs it. */
  readonly isGiven: (name: string) => boolean;
}

/** What was asked of the machine; undefined or null where it was not, or cannot be said. */
export interface World {
  readonly workDir: string;
  readonly home: string | null;
  readonly user: string;
  /** Whether whoever looks at the script has it set. */
  readonly isInEnvironment: (name: string) => boolean;
  readonly hasDirectory: (path: string) => boolean | null;
  /** Where a program really is; null: it is not there. Undefined: nobody looked. */
  readonly programAt: (path: string) => string | null | undefined;
  /** The queues of the yard; null when it takes any name. */
  readonly queues: readonly string[] | null;
}

export type Rule = (subject: Subject, world: World) => readonly Finding[];

export interface Read
  extends Pick<Subject, 'bytes' | 'text' | 'lines' | 'interpreter' | 'isShell' | 'shell'> {}

export function readScript(bytes: Uint8Array): Read {
  const text = textFromBytes(bytes);
  const interpreter = interpreterOf(text);
  const isShell = isForShell(interpreter);
  // A carriage return would be a part of words, and is a finding of its own.
  const unixText = text.replaceAll('\r\n', '\n');
  return {
    bytes,
    text: unixText,
    lines: unixText.split('\n'),
    interpreter,
    isShell,
    shell: isShell ? readShell(unixText) : null,
  };
}

export function subjectOf(
  read: Read,
  dialect: ScriptDialect | null,
  directives: Directives,
  isGiven: (name: string) => boolean,
): Subject {
  const commands = read.shell === null ? [] : allCommands(read.shell.list);
  return { ...read, commands, uses: usesOf(commands), dialect, directives, isGiven };
}

export function lastAsked({ directives }: Subject, ...names: readonly string[]): Asked | null {
  return directives.asked.findLast(({ name }) => names.includes(name)) ?? null;
}

/** Whether a comment may begin on the line: not in a here-document or within quotes. */
export function isComment({ shell }: Pick<Subject, 'shell'>, line: number): boolean {
  return shell === null || shell.commentLines.has(line);
}
