/** What was asked of `qdel`. A word with a dash that is no flag of it is the name of a job. */

import { GridEngineFailure } from '../failure.ts';
import { type JobWord, listedWords, narrowLatest, readJobWord } from '../job-list.ts';
import { readTaskRange } from '../task-ranges.ts';
import { QDEL_HELP } from './help.ts';

export interface QdelCall {
  readonly help: boolean;
  readonly force: boolean;
  /** `-u`; null: it was not said. */
  readonly users: readonly string[] | null;
  readonly words: readonly JobWord[];
}

export function readCall(argv: readonly string[]): QdelCall {
  let [help, force] = [false, false];
  let users: readonly string[] | null = null;
  const words: JobWord[] = [];
  /** How many words the last argument was, which `-t` is about. */
  let latest = 0;
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] as string;
    if (argument === '-t') {
      at += 1;
      addTasks(words, latest, argv[at]);
      latest = 0;
      continue;
    }
    latest = 0;
    if (argument === '-help') help = true;
    else if (argument === '-f') force = true;
    else if (argument === '-u') {
      at += 1;
      users = listedWords(argv[at] ?? '');
    } else {
      const texts = listedWords(argument);
      words.push(...texts.map(wordFrom));
      latest = texts.length;
    }
  }
  return { help, force, users: users?.length === 0 ? null : users, words };
}

function wordFrom(text: string): JobWord {
  const word = readJobWord(text);
  if (word === null)
    throw new GridEngineFailure([`error: ERROR! "${text}" is an invalid job-task identifier`], 1);
  return word;
}

function addTasks(words: JobWord[], latest: number, text: string | undefined): void {
  const range = readTaskRange(text ?? '');
  if (!range.ok) {
    const [first, ...others] = range.lines;
    const complaint = first === undefined ? [] : [`error: ${first}`, ...others];
    throw new GridEngineFailure([...QDEL_HELP.trimEnd().split('\n'), ...complaint], 1);
  }
  if (latest === 0)
    throw new GridEngineFailure(
      [`error: found lonely '-t ${text}' option (The -t option needs a leading job name).`],
      1,
    );
  narrowLatest(words, latest, range.tasks);
}
