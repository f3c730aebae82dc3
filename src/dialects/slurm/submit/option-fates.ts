/**
 * What becomes of options that ask nothing of the scheduler: said back, said to have no effect, or refused. Their
 * values are looked at all the same.
 */

import type { GivenOption } from '../../options.ts';
import type { SlurmWord } from '../words.ts';
import { complaint, invalid } from './complaints.ts';
import { type Asked, countAsked, sizeAsked, textAsked } from './given.ts';
import { SUBMIT_OPTIONS, type SubmitOption, type Submitter } from './options.ts';

/** One sentence for each option that changes nothing here. Throws for those that cannot be done without. */
export function optionWarnings(asked: Asked): readonly string[] {
  const { command, given } = asked;
  const warnings: string[] = [];
  for (const [name, { value }] of lastOfEach(given)) {
    const option = rowOf(command, name);
    checkValue(asked, name, option?.form);
    if (option?.refused !== undefined) throw complaint(command, `--${name}: ${option.refused}`, 1);
    // Switching something off that is never on is no request.
    if (option?.noEffect === undefined || value === 'off') continue;
    warnings.push(`--${name} has no effect here: ${option.noEffect}`);
  }
  if (/^no?$/i.test(textAsked(asked, 'kill-on-invalid-dep') ?? '')) {
    warnings.push('a job whose dependency can never be met is ended all the same');
  }
  return warnings;
}

function checkValue(asked: Asked, name: string, form: SubmitOption['form']): void {
  if (form === 'size') sizeAsked(asked, name);
  else if (form !== undefined) countAsked(asked, name, form === 'count' ? 1 : 0);
  const pattern = FORMS[name];
  if (pattern?.test(textAsked(asked, name) ?? '') === false) throw invalid(asked.command, name);
}

/** Of values that are words; none at all where an option can do without. */
const FORMS: Readonly<Record<string, RegExp>> = {
  'kill-on-invalid-dep': /^(?:yes|no|y|n)$/i,
  'no-kill': /^(?:off)?$/i,
  distribution: /^(?:\*|block|cyclic|arbitrary|plane=\d+)(?::(?:\*|f?cyclic|block)){0,2}(?:,(?:no)?pack)?$/i,
  'wait-all-nodes': /^[01]$/,
  'get-user-env': /^\d*[sl]?$/i,
};

/** What was given in words that the job keeps. */
export function optionWords({ command, given }: Asked): Readonly<Partial<Record<SlurmWord, string>>> {
  const words: Partial<Record<SlurmWord, string>> = {};
  const last = lastOfEach(given);
  for (const [name, { value }] of last) {
    const word = rowOf(command, name)?.word;
    if (word !== undefined) words[word] = value ?? '';
  }
  const sharing = given.findLast(({ name }) => name === 'exclusive' || name === 'oversubscribe');
  if (sharing !== undefined) words[sharing.name as 'exclusive' | 'oversubscribe'] = sharing.value ?? '';
  return words;
}

function lastOfEach(given: readonly GivenOption[]): ReadonlyMap<string, GivenOption> {
  return new Map(given.map((option) => [option.name, option]));
}

function rowOf(command: Submitter, wanted: string): SubmitOption | undefined {
  return SUBMIT_OPTIONS.find(({ name, by }) => name === wanted && by.includes(command));
}
