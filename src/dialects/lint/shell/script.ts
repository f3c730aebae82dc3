/**
 * What a shell script is to whoever looks for mistakes in it: lists of pipelines of commands, with the words,
 * assignments and variables of each. It is never run, and nothing here knows what a program does.
 */

/** A variable, where its value is asked for. */
export interface Use {
  readonly name: string;
  readonly line: number;
  /** Where in the text, to tell what comes first. */
  readonly at: number;
  /** What stands behind the name in braces: `:-`, `%`, `[`; empty in `$NAME`. */
  readonly operator: string;
}

export interface Word {
  readonly line: number;
  readonly at: number;
  /** As written. */
  readonly raw: string;
  /** What the shell makes of it; null when that depends on a variable or on what a command prints. */
  readonly text: string | null;
  readonly isQuoted: boolean;
  readonly uses: readonly Use[];
  /** The commands of `$(…)`, backquotes and `<(…)`. */
  readonly substitutions: readonly List[];
}

export interface Assignment {
  readonly name: string;
  readonly line: number;
  readonly at: number;
  readonly isArray: boolean;
  /** The whole word, its name included. */
  readonly word: Word;
}

export interface Redirect {
  /** `>`, `>>`, `2>` is `>` with its number, `<<`. */
  readonly operator: string;
  readonly number: string | null;
  /** Of a here-document, what is expanded in its text. */
  readonly target: Word;
}

export type CommandKind =
  | 'simple'
  | 'subshell'
  | 'group'
  | 'if'
  | 'for'
  | 'while'
  | 'case'
  | 'function'
  | 'test'
  | 'arithmetic';

export interface Command {
  readonly kind: CommandKind;
  readonly line: number;
  readonly at: number;
  /** Of a function, or the variable of a `for`; null otherwise. */
  readonly name: string | null;
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** What it is made of, in the order written: of a `while`, the condition and the body. */
  readonly lists: readonly List[];
}

/** What follows a pipeline. */
export type Separator = ';' | '&' | '&&' | '||';

export interface Pipeline {
  readonly line: number;
  /** With more than one, their outputs lead to each other's inputs. */
  readonly stages: readonly Command[];
  readonly isNegated: boolean;
  readonly after: Separator;
}

export type List = readonly Pipeline[];

export interface ShellScript {
  readonly list: List;
  /** The lines on which comments begin; a `#` in a here-document begins none. */
  readonly commentLines: ReadonlySet<number>;
}

const PREFIX = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/;

/** `NAME=value`, as it stands before a command or behind `export`; null when it is another word. */
export function assignmentIn(word: Word): Assignment | null {
  const match = PREFIX.exec(word.raw);
  if (match === null) return null;
  const isArray = match[0].includes('[') || word.raw.charAt(match[0].length) === '(';
  return { name: match[1] as string, line: word.line, at: word.at, isArray, word };
}

/** Whether an array may begin here: what is written so far of a word, and then `(`. */
export function endsInEquals(written: string): boolean {
  return PREFIX.exec(written)?.[0].length === written.length;
}

/** What the program is called, when it is written out. */
export function programOf(command: Command): string | null {
  return command.kind === 'simple' ? (command.words[0]?.text ?? null) : null;
}
