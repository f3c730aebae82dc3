/**
 * Reads the command line of `qstat`, and the defaults that its site and its user keep in files. What went wrong is said
 * as the original says it.
 */

import { GridEngineFailure } from '../failure.ts';
import { allWords, type FlagSpec, type GivenFlag, hasFlag, lastWord } from '../flags.ts';
import {
  checkQueueStates,
  type InstanceSelection,
  readSelection,
  SELECTION_FLAGS,
} from '../instance-selection.ts';
import { type ListingVoice, listOf, readListingFlags, withUsage } from '../listing-flags.ts';
import { QSTAT_HELP } from './help.ts';
import { readStateChoices, type StateChoice } from './state-choices.ts';

export interface QstatCall {
  readonly isHelp: boolean;
  /** Queue instances with their jobs. */
  readonly full: boolean;
  /** What of their attributes is shown: none, all, or these. */
  readonly attributes: readonly string[] | 'all' | null;
  readonly perQueue: boolean;
  readonly perTask: boolean;
  readonly perSlot: boolean;
  /** Words of a list of jobs; empty: why any job waits. Null: not asked for. */
  readonly jobs: readonly string[] | null;
  readonly columns: Columns;
  readonly withRequests: boolean;
  readonly states: readonly StateChoice[] | null;
  readonly users: readonly string[];
  readonly selection: InstanceSelection;
  readonly hideEmpty: boolean;
  readonly withBinding: boolean;
  readonly xml: boolean;
}

export interface Columns {
  readonly extended: boolean;
  readonly urgency: boolean;
  readonly priority: boolean;
  readonly tasks: boolean;
}

const FLAGS: readonly FlagSpec[] = [
  ...['-ext', '-f', '-help', '-ne', '-ncb', '-r', '-t', '-urg', '-pri', '-xml'].map((flag) => ({
    flag,
    words: 0,
  })),
  ...['-explain', '-g', '-s', '-u'].map((flag) => ({ flag, words: 1 })),
  ...SELECTION_FLAGS,
  ...['-F', '-j'].map((flag) => ({ flag, words: 1, optional: true })),
];

const VOICE: ListingVoice = { help: QSTAT_HELP, prefix: '' };

/** Later sources take the place of what earlier ones say with the same flag. */
export function readQstatCall(sources: readonly (readonly string[])[], user: string): QstatCall {
  const given = sources
    .map((words) => readSource(words))
    .reduce((before, after) => [...before.filter(({ flag }) => !hasFlag(after, flag)), ...after], []);
  const group = allWords(given, '-g').join('');
  const wrong = /[^cdt+]/.exec(group);
  if (wrong !== null) throw new GridEngineFailure([`wrong character '${wrong[0]}' for -g option`], 1);
  const states = allWords(given, '-s');
  const explained = allWords(given, '-explain');
  explained.forEach(checkQueueStates);
  const has = (flag: string) => hasFlag(given, flag);
  return {
    isHelp: has('-help'),
    full: has('-f') || has('-F') || explained.length > 0,
    attributes: has('-F') ? attributesIn(allWords(given, '-F')) : null,
    perQueue: group.includes('c'),
    perTask: group.includes('d'),
    perSlot: group.includes('t') || has('-t'),
    jobs: has('-j') ? listOf(lastWord(given, '-j') ?? '') : null,
    columns: { extended: has('-ext'), urgency: has('-urg'), priority: has('-pri'), tasks: has('-t') },
    withRequests: has('-r'),
    states: states.length === 0 ? null : states.flatMap(stateChoices),
    users: usersIn(allWords(given, '-u'), user),
    selection: readSelection(given),
    hideEmpty: has('-ne'),
    withBinding: !has('-ncb'),
    xml: has('-xml'),
  };
}

function readSource(words: readonly string[]): readonly GivenFlag[] {
  return readListingFlags(FLAGS, countedWords(words), VOICE);
}

/** Of several words after `-j` the last one counts. */
function countedWords(words: readonly string[]): readonly string[] {
  let flag = '';
  return words.filter((word, at) => {
    if (word.startsWith('-')) flag = word;
    const next = words[at + 1];
    return flag === word || flag !== '-j' || next === undefined || next.startsWith('-');
  });
}

function attributesIn(lists: readonly string[]): readonly string[] | 'all' {
  const names = lists.flatMap(listOf);
  return names.length === 0 ? 'all' : names;
}

function stateChoices(text: string): readonly StateChoice[] {
  const choices = readStateChoices(text);
  if (choices === null) throw withUsage(VOICE, 'ERROR! wrong argument to -s option');
  return choices;
}

function usersIn(lists: readonly string[], user: string): readonly string[] {
  const named = lists.flatMap(listOf);
  return (named.length === 0 ? ['$user'] : named).map((word) => (word === '$user' ? user : word));
}
