/** What was asked of `qhold` and `qrls`, which complain in the name of `qalter`, as the originals do. */

import { GridEngineFailure } from '../failure.ts';
import { type JobWord, listedWords, narrowLatest, readJobWord } from '../job-list.ts';
import { readTaskRange } from '../task-ranges.ts';

export interface HoldCall {
  readonly help: boolean;
  /** Letters of u, o, s. */
  readonly kinds: string;
  /** `-u`: all jobs of these users, whatever else is named. */
  readonly users: readonly string[] | null;
  readonly words: readonly JobWord[];
}

const EXIT_USAGE = 2;
const EXIT_UNKNOWN = 5;
const EXIT_VALUE = 7;

export function readHoldCall(argv: readonly string[]): HoldCall {
  let help = false;
  let kinds = 'u';
  let users: readonly string[] | null = null;
  const words: JobWord[] = [];
  let latest = 0;
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] as string;
    if (argument === '-t') {
      at += 1;
      addTasks(words, latest, argv[at], argv.slice(at + 1));
      latest = 0;
      continue;
    }
    latest = 0;
    if (argument === '-help') help = true;
    else if (argument === '-h' || argument === '-u') {
      at += 1;
      const word = argv[at];
      if (word === undefined) {
        const what = argument === '-u' ? 'a list usernames' : 'argument';
        throw complaint(`${argument} option must have ${what}`, EXIT_USAGE);
      }
      if (argument === '-u') users = listedWords(word);
      else kinds = holdKinds(word);
    } else if (argument.startsWith('-')) throw complaint(`invalid option argument "${argument}"`, EXIT_USAGE);
    else if (argument === '') throw complaint('Wrong job id list format "" specified', EXIT_VALUE);
    else {
      const texts = listedWords(argument);
      words.push(...texts.map(wordFrom));
      latest = texts.length;
    }
  }
  return { help, kinds, users, words };
}

function holdKinds(word: string): string {
  if (/^[uos]+$/.test(word)) return word;
  throw complaint(`Unknown hold list "${word}" specified to -h option`, EXIT_VALUE);
}

function wordFrom(text: string): JobWord {
  const word = readJobWord(text);
  if (word === null)
    throw new GridEngineFailure([`ERROR! "${text}" is an invalid job-task identifier`], EXIT_USAGE);
  return word;
}

function addTasks(
  words: JobWord[],
  latest: number,
  text: string | undefined,
  after: readonly string[],
): void {
  const range = readTaskRange(text ?? '');
  if (!range.ok) {
    const [first = `invalid option argument "-t ${text}"`, ...others] = range.lines;
    throw new GridEngineFailure(
      [`qalter: ${first}`, ...others],
      text === undefined ? EXIT_USAGE : EXIT_VALUE,
    );
  }
  if (latest === 0) {
    if (after.every((word) => word.startsWith('-')))
      throw new GridEngineFailure([`Unknown option -t ${text}`, ''], EXIT_UNKNOWN);
    const lonely = `found lonely '-t ${text}' option (The -t option needs a leading job name).`;
    throw new GridEngineFailure([lonely], EXIT_USAGE);
  }
  narrowLatest(words, latest, range.tasks);
}

function complaint(text: string, exitCode: number): GridEngineFailure {
  return new GridEngineFailure([`qalter: ${text}`], exitCode);
}
