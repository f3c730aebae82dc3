/** `qconf`: shows how the yard is set up, in Grid Engine's words. Nothing is changed by it. */

import { variableOf } from '../../environment.ts';
import { type Invocation, type Program, printErr, printOut } from '../../program.ts';
import type { GridEngineCommand } from '../command.ts';
import { GridEngineFailure } from '../failure.ts';
import { QCONF_HELP } from './help.ts';
import { isList, listText } from './lists.ts';
import { readSetup, type Setup } from './setup.ts';
import { type Shown, THINGS } from './things.ts';
import { isStopping, isWriting } from './writing.ts';

export const qconf: GridEngineCommand = { name: 'qconf', run };

/** Each flag is answered by itself, in order, until one fails. */
function* run({ argv, environment }: Invocation): Program {
  const words = argv.slice(1);
  if (words.length === 0) {
    throw new GridEngineFailure([...QCONF_HELP.trimEnd().split('\n'), 'ERROR! no option argument'], 1);
  }
  const setup = yield* readSetup((variableOf(environment, 'SGE_SINGLE_LINE') ?? '') !== '');
  let at = 0;
  while (at < words.length) {
    const flag = words[at] as string;
    if (flag === '-help') {
      yield* printOut(QCONF_HELP);
      return 0;
    }
    const { shown, used } = answerTo(flag, words, at + 1, setup);
    yield* printOut(shown.text);
    for (const complaint of shown.complaints) yield* printErr(`${complaint}\n`);
    at += 1 + used;
  }
  return 0;
}

function answerTo(
  flag: string,
  words: readonly string[],
  from: number,
  setup: Setup,
): { readonly shown: Shown; readonly used: number } {
  if (isWriting(flag) || isStopping(flag)) throw new GridEngineFailure([refusalOf(flag, setup)], 1);
  if (isList(flag)) return { shown: { text: listText(flag, setup), complaints: [] }, used: 0 };
  const thing = Object.hasOwn(THINGS, flag) ? THINGS[flag] : undefined;
  if (thing === undefined)
    throw new GridEngineFailure([`error: invalid option argument "${flag}"`, 'Usage: qconf -help'], 1);
  const given = wordsAfter(words, from, thing.most);
  if (given.length < thing.least) throw usage(`error: no option argument provided to "${flag}"`);
  return { shown: thing.show(given, setup), used: given.length };
}

function wordsAfter(words: readonly string[], from: number, most: number): readonly string[] {
  const next = words.findIndex((word, at) => at >= from && word.startsWith('-'));
  return words.slice(from, Math.min(next < 0 ? words.length : next, from + most));
}

function refusalOf(flag: string, { configFile }: Setup): string {
  return isStopping(flag)
    ? `denied: ${flag} stops nothing here: "trainyard down" stops a yard, which is set up in ${configFile}`
    : `denied: ${flag} changes nothing here: queues, hosts and limits are written in ${configFile}`;
}

function usage(...lines: readonly string[]): GridEngineFailure {
  return new GridEngineFailure([...lines, ...QCONF_HELP.trimEnd().split('\n')], 1);
}
