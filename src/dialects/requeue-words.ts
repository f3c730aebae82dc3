/**
 * Which exit codes queue a job again, in the same words everywhere: `#YARD requeue-on=3,75` or `requeue-on=none` in a
 * script of any system, and an option of `trainyard submit`. Owns the word, what it means, and what is wrong with it.
 */

import type { Aftermath, JobSpec } from '../model/job-spec.ts';
import { KeepingMistake } from './kept-directories.ts';
import { type GivenOption, lastGiven, type OptionSpec } from './options.ts';
import { quoted } from './text/words.ts';

interface RequeueOption extends OptionSpec {
  readonly argument: string;
  readonly help: string;
}

const WORD = 'requeue-on';

export const REQUEUE_OPTIONS: readonly RequeueOption[] = [
  {
    name: WORD,
    value: 'required',
    argument: 'CODES|none',
    help: 'exit codes that queue it again: 3,75',
  },
];

export function isRequeueWord(name: string): boolean {
  return name === WORD;
}

const MOST_CODES = 20;

/**
 * The job with the exit codes that it names, in place of the yard's. Throws a KeepingMistake. Options of others may be
 * among those given.
 */
export function withRequeueWords(spec: JobSpec, given: readonly GivenOption[]): JobSpec {
  const againExitCodes = exitCodesFrom(given);
  if (againExitCodes === null) return spec;
  return { ...spec, aftermath: { ...(spec.aftermath ?? NO_ERRORS), againExitCodes } };
}

/** Null when nothing is said about it. Throws a KeepingMistake. */
export function exitCodesFrom(given: readonly GivenOption[]): readonly number[] | null {
  const option = lastGiven(given, [WORD]);
  return option === null ? null : codesIn(option);
}

const NO_ERRORS: Omit<Aftermath, 'againExitCodes'> = { errorExitCodes: [], faultsAreErrors: false };

function codesIn({ written, value }: GivenOption): readonly number[] {
  const text = value ?? '';
  if (text === 'none') return [];
  const words = text.split(',');
  if (words.every(isExitCode) && words.length <= MOST_CODES) return [...new Set(words.map(Number))];
  throw new KeepingMistake(
    `${written} ${quoted(text)}: exit codes from 1 to 255 are wanted, at most ${MOST_CODES}, with commas between them`,
    `as in ${written}=3,75, or ${written}=none for none`,
  );
}

function isExitCode(word: string): boolean {
  return /^[1-9]\d{0,2}$/.test(word) && Number(word) <= 255;
}
