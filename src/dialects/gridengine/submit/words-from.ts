/** What was said in flags and has no place in a JobSpec, for those who say it back. */

import { type GivenFlag, hasFlag, lastWord } from '../flags.ts';
import type { GridEngineWord, GridEngineWords } from '../words.ts';
import { askedAttributes, attributesText } from './attributes.ts';
import { contextFrom } from './context.ts';
import { heldFor } from './hold-jobs.ts';
import type { AskedFlag } from './layers.ts';
import { mailLetters, mailList } from './mail.ts';
import { slotRangeText } from './parallel.ts';
import { queueWishOf } from './queue-lists.ts';
import { parseYesNo } from './values.ts';
import type { JobVariables } from './variables.ts';

/** Words that are the value of a flag. */
const VALUES: readonly (readonly [GridEngineWord, string])[] = [
  ['shell', '-S'],
  ['directivePrefix', '-C'],
  ['project', '-P'],
  ['account', '-A'],
  ['priority', '-p'],
  ['jobShare', '-js'],
  ['checkpoint', '-ckpt'],
  ['outputPath', '-o'],
  ['errorPath', '-e'],
  ['inputPath', '-i'],
];

/** Words that are there when a flag says yes. */
const SWITCHES: readonly (readonly [GridEngineWord, string])[] = [
  ['isMerged', '-j'],
  ['reserve', '-R'],
  ['isImmediate', '-now'],
];

export function wordsFrom(given: readonly AskedFlag[], variables: JobVariables | null): GridEngineWords {
  const words: Partial<Record<GridEngineWord, string>> = {};
  const say = (word: GridEngineWord, value: string | null) => {
    if (value !== null && value !== '') words[word] = value;
  };
  for (const [word, flag] of VALUES) say(word, lastWord(given, flag));
  for (const [word, flag] of SWITCHES) if (saysYes(given, flag)) words[word] = 'y';
  const rerun = lastWord(given, '-r');
  if (rerun !== null) words.rerun = saysYes(given, '-r') ? 'y' : 'n';
  if (hasFlag(given, '-notify')) words.notify = 'y';
  if (hasFlag(given, '-cwd') || hasFlag(given, '-wd')) words.ownDirectory = 'y';
  const wish = queueWishOf(given);
  say('queues', wish.hard.join(','));
  say('softQueues', wish.soft.join(','));
  say('masterQueues', wish.master.join(','));
  say('resources', attributesText(askedAttributes(given, 'hard')));
  say('softResources', attributesText(askedAttributes(given, 'soft')));
  say('slotRange', slotsSaid(given));
  say('binding', given.findLast(({ flag }) => flag === '-binding')?.words.join(' ') ?? null);
  say('mailOptions', mailLetters(given));
  say('mailList', mailList(given).join(','));
  say('context', contextFrom(given));
  say('holdJobs', heldFor(given, '-hold_jid').join(','));
  say('holdArrayJobs', heldFor(given, '-hold_jid_ad').join(','));
  if (variables !== null) {
    say('variables', variables.listed);
    if (Object.keys(variables.late).length > 0) words.lateVariables = JSON.stringify(variables.late);
  }
  return words;
}

function slotsSaid(given: readonly GivenFlag[]): string | null {
  const range = given.findLast(({ flag }) => flag === '-pe')?.words[1];
  return range === undefined ? null : slotRangeText(range);
}

function saysYes(given: readonly GivenFlag[], flag: string): boolean {
  return parseYesNo(lastWord(given, flag) ?? 'n') === true;
}
