/**
 * `scontrol`: looks at and changes what a yard has. Finds the keyword, alone on the command line or on each line of
 * stdin, and runs it. What keywords do is in files of their own.
 */

import { variableOf } from '../../environment.ts';
import { isGiven, lastValue, type OptionSpec } from '../../options.ts';
import { type Asking, type Invocation, type Program, printErr, printOut, readLine } from '../../program.ts';
import { chooseCluster } from '../clusters.ts';
import type { SlurmCommand } from '../command.ts';
import { SLURM_VERSION } from '../command.ts';
import { readCommandLine } from '../command-line.ts';
import { SlurmFailure } from '../failure.ts';
import { userToActAs } from './acting-user.ts';
import { EXIT_FAILED, EXIT_OK, type Manner } from './call.ts';
import { HELP } from './help.ts';
import { keywordNamed } from './keywords.ts';

export const scontrol: SlurmCommand = { name: 'scontrol', run };

const OPTIONS: readonly OptionSpec[] = [
  { name: 'all', short: 'a', value: 'none' },
  { name: 'clusters', aliases: ['cluster'], short: 'M', value: 'required' },
  { name: 'details', short: 'd', value: 'none' },
  { name: 'federation', value: 'none' },
  { name: 'future', short: 'F', value: 'none' },
  { name: 'help', short: 'h', value: 'none' },
  { name: 'hide', value: 'none' },
  { name: 'json', value: 'optional' },
  { name: 'local', value: 'none' },
  { name: 'oneliner', short: 'o', value: 'none' },
  { name: 'quiet', short: 'Q', value: 'none' },
  { name: 'sibling', value: 'none' },
  { name: 'uid', short: 'u', value: 'required' },
  { name: 'usage', value: 'none' },
  { name: 'verbose', short: 'v', value: 'none' },
  { name: 'version', short: 'V', value: 'none' },
  { name: 'yaml', value: 'optional' },
];

function* run(invocation: Invocation): Program {
  const style = { command: 'scontrol', positionals: 'anywhere', exitCode: EXIT_FAILED } as const;
  const { options, positionals, afterDashes } = readCommandLine(OPTIONS, invocation.argv.slice(1), style);
  if (isGiven(options, 'help') || isGiven(options, 'usage')) {
    yield* printOut(HELP);
    return EXIT_OK;
  }
  if (isGiven(options, 'version')) {
    yield* printOut(`slurm ${SLURM_VERSION}\n`);
    return EXIT_OK;
  }
  const variable = variableOf(invocation.environment, 'SLURM_CLUSTERS');
  yield* chooseCluster('scontrol', lastValue(options, 'clusters'), variable);
  const actor = yield* userToActAs(invocation, lastValue(options, 'uid'));
  if (actor === null) return EXIT_OK;
  const manner: Manner = {
    oneLine: isGiven(options, 'oneliner') || variableOf(invocation.environment, 'SCONTROL_ONELINER') !== null,
    details: isGiven(options, 'details'),
    quiet: isGiven(options, 'quiet'),
    structure: isGiven(options, 'json') ? 'json' : isGiven(options, 'yaml') ? 'yaml' : null,
  };
  const words = [...positionals, ...(afterDashes ?? [])];
  if (words.length > 0) return (yield* runWords(actor, manner, words)).exitCode;
  return yield* converse(actor, manner);
}

interface Ran {
  readonly exitCode: number;
  readonly manner: Manner;
  readonly ends: boolean;
}

function* runWords(
  invocation: Invocation,
  manner: Manner,
  [word = '', ...words]: readonly string[],
): Asking<Ran> {
  const keyword = keywordNamed(word);
  if (keyword === null) throw new SlurmFailure([`invalid keyword: ${word}`], EXIT_FAILED);
  const exitCode = yield* keyword.run({ invocation, manner, keyword: word, words });
  return { exitCode, manner: { ...manner, ...keyword.sets }, ends: keyword.ends === true };
}

/** One command after the other; what one gets wrong does not end the others. */
function* converse(invocation: Invocation, options: Manner): Asking<number> {
  let manner = options;
  let exitCode = EXIT_OK;
  let last = '';
  for (;;) {
    yield* printOut('scontrol: ');
    const typed = yield* readLine();
    if (typed === null) {
      yield* printOut('\n');
      return exitCode;
    }
    // A terminal has shown what was typed already.
    if (!invocation.terminal.stdin) yield* printOut(`${typed}\n`);
    const line = typed.trim() === '!!' ? last : typed.trim();
    if (line === '') continue;
    last = line;
    try {
      const ran = yield* runWords(invocation, manner, wordsOf(line));
      ({ exitCode, manner } = ran);
      if (ran.ends) return exitCode;
    } catch (error) {
      if (!(error instanceof SlurmFailure)) throw error;
      exitCode = error.exitCode;
      yield* printErr(error.lines.map((each) => `${each}\n`).join(''));
    }
  }
}

/** At blanks outside of quotes. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*'|["'])+/g) ?? [];
  return words.map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
