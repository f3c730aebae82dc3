/**
 * A directory as somebody wrote it in a `#YARD` line, made into an absolute pattern. No shell reads those lines, so
 * only what can be filled in without one may stand there; the rest is a mistake, said with what to write instead.
 */

import { SCRATCH_VARIABLE } from '../model/keeping-paths.ts';
import { absolutePath } from '../model/paths.ts';
import { patternLetters, unknownLetter } from '../model/pattern.ts';
import { listed, quoted } from './text/words.ts';

/** What is wrong with a `#YARD` word, in a sentence and what to do about it. */
export class KeepingMistake extends Error {
  readonly hint: string | null;
  constructor(sentence: string, hint: string | null = null) {
    super(sentence);
    this.hint = hint;
  }
}

export interface Around {
  /** Where the job runs. */
  readonly workDir: string;
  /** Null when whoever submits has none. */
  readonly home: string | null;
}

const MOST_CHARACTERS = 4096;
const LETTERS = "%x is the job's name, %j its number, %a its index in an array";

/** `called` is how the option is written. */
export function directoryPattern(called: string, text: string, around: Around): string {
  return pathPattern(called, text, around, 'directory');
}

/** The same of a file, which may be another one for each node and lasts longer than a run. */
export function filePattern(called: string, text: string, around: Around): string {
  const pattern = pathPattern(called, text, around, 'file');
  if (!pattern.startsWith(SCRATCH_VARIABLE)) return pattern;
  throw new KeepingMistake(`${called} ${quoted(text)}: that is removed when a run ends`);
}

function pathPattern(called: string, text: string, around: Around, what: 'directory' | 'file'): string {
  const mistake = (sentence: string, hint: string | null = null) =>
    new KeepingMistake(`${called} ${quoted(text)}: ${sentence}`, hint);
  if (text === '') throw new KeepingMistake(`${called} needs a ${what}`);
  if (text.length > MOST_CHARACTERS) throw mistake('that is too long for a path');
  const scratch = /^\$(?:SCRATCH|\{SCRATCH\})(?=\/|$)(.*)$/s.exec(text);
  const home = /^(?:~|\$HOME|\$\{HOME\})(?=\/|$)(.*)$/s.exec(text);
  const rest = scratch?.[1] ?? home?.[1] ?? text;
  const variable = /\$(?:\w+|\{[^}]*\}?|\()|`/.exec(rest)?.[0];
  if (variable !== undefined && !/^\$\d/.test(variable)) {
    throw mistake(`no shell reads this, so ${variable} stays as it is`, insteadOf(called, variable));
  }
  const stray = what === 'file' ? null : lettersIn(rest, /[Nnt]/g);
  if (stray !== null) throw mistake(`${stray} is not known for a directory of the whole job`, LETTERS);
  const unknown = unknownLetter(rest);
  if (unknown !== null) throw mistake(`${unknown} stands for nothing`, `${LETTERS}, %% a percent sign`);
  if (/^~[^/]/.test(rest)) throw mistake('only your own home may be written with ~', 'write the path out');
  if (scratch !== null) return `${SCRATCH_VARIABLE}${inside(rest)}`;
  if (home === null) return absolutePath(asPattern(around.workDir), text);
  if (around.home === null) throw mistake('there is no HOME here', 'write the path out');
  return absolutePath('/', `${asPattern(around.home)}/${rest}`);
}

/** Nothing leads out of the scratch directory. */
function inside(rest: string): string {
  const path = absolutePath('/', rest);
  return path === '/' ? '' : path;
}

/** A path whose percent signs nobody meant as a pattern. */
export function asPattern(path: string): string {
  return absolutePath('/', path).replaceAll('%', '%%');
}

const COUNTERPARTS: Readonly<Record<string, string>> = {
  SLURM_JOB_ID: '%j',
  SLURM_JOBID: '%j',
  JOB_ID: '%j',
  SLURM_JOB_NAME: '%x',
  JOB_NAME: '%x',
  SLURM_ARRAY_TASK_ID: '%a',
  SGE_TASK_ID: '%a',
  TASK_ID: '%a',
  SLURM_ARRAY_JOB_ID: '%A',
  USER: '%u',
  LOGNAME: '%u',
  TMPDIR: SCRATCH_VARIABLE,
  SLURM_TMPDIR: SCRATCH_VARIABLE,
};

function insteadOf(called: string, variable: string): string {
  const name = variable.replaceAll(/[${}]/g, '');
  const meant = Object.hasOwn(COUNTERPARTS, name) ? COUNTERPARTS[name] : undefined;
  if (meant !== undefined) return `write ${meant} for it`;
  const beginnings = called.endsWith('persist') ? '~ or $HOME' : '~ or $HOME, or $SCRATCH,';
  return `${LETTERS}; ${beginnings} may stand at the beginning`;
}

/** Whether one is the other, or inside it. */
export function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer === '/' ? outer : `${outer}/`);
}

/** Letters by which the pattern differs from run to run, so that the next run would not find it again. */
export function lettersOfRun(pattern: string): string | null {
  return lettersIn(pattern, /[rJ]/g);
}

/** Whether elements of an array have directories of their own there. */
export function differsByElement(pattern: string): boolean {
  return lettersIn(pattern, /[abjJ]/g) !== null;
}

/** `%r and %J`; null when there is none of them. */
function lettersIn(pattern: string, which: RegExp): string | null {
  const found = patternLetters(pattern).match(which);
  return found === null ? null : listed([...new Set(found)].map((letter) => `%${letter}`));
}
