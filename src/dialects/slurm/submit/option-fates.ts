/** What becomes of options that ask nothing of the scheduler: said back, said to have no effect, or refused. */

import type { GivenOption } from '../../options.ts';
import type { SlurmWord } from '../words.ts';
import { complaint } from './complaints.ts';
import type { Asked } from './given.ts';
import { SUBMIT_OPTIONS, type SubmitOption, type Submitter } from './options.ts';

/** One sentence for each option that changes nothing here. Throws for those that cannot be done without. */
export function optionWarnings({ command, given }: Asked): readonly string[] {
  const warnings: string[] = [];
  for (const [name, { value }] of lastOfEach(given)) {
    const option = rowOf(command, name);
    if (option?.refused !== undefined) throw complaint(command, `--${name}: ${option.refused}`, 1);
    // Switching something off that is never on is no request.
    if (option?.noEffect === undefined || value === 'off') continue;
    warnings.push(`--${name} has no effect here: ${option.noEffect}`);
  }
  return warnings;
}

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
