/** What was asked of `qhold` and `qrls`, which complain in the name of `qalter`, as the originals do. */

import { GridEngineFailure } from '../failure.ts';
import { type JobWord, listedWords } from '../job-list.ts';
import { collectJobWords, type JobWordComplaints, lonelyTasks, notAJob } from '../job-words.ts';

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
  let at = 0;
  const lonely = (text: string) => lonelyFailure(text, argv.slice(at + 1));
  const jobs = collectJobWords({ ...COMPLAINTS, lonelyTasks: lonely });
  for (; at < argv.length; at++) {
    const argument = argv[at] as string;
    if (argument === '-t') {
      at += 1;
      jobs.narrow(argv[at]);
      continue;
    }
    if (!argument.startsWith('-')) {
      if (argument === '') throw complaint('Wrong job id list format "" specified', EXIT_VALUE);
      jobs.name(argument);
      continue;
    }
    jobs.pass();
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
    } else throw complaint(`invalid option argument "${argument}"`, EXIT_USAGE);
  }
  return { help, kinds, users, words: jobs.words };
}

function holdKinds(word: string): string {
  if (/^[uos]+$/.test(word)) return word;
  throw complaint(`Unknown hold list "${word}" specified to -h option`, EXIT_VALUE);
}

const COMPLAINTS: Omit<JobWordComplaints, 'lonelyTasks'> = {
  noJob: (text) => new GridEngineFailure([notAJob(text)], EXIT_USAGE),
  badTasks([first, ...others], text) {
    const lines = [`qalter: ${first ?? `invalid option argument "-t ${text}"`}`, ...others];
    return new GridEngineFailure(lines, text === undefined ? EXIT_USAGE : EXIT_VALUE);
  },
};

function lonelyFailure(text: string, after: readonly string[]): GridEngineFailure {
  if (after.every((word) => word.startsWith('-')))
    return new GridEngineFailure([`Unknown option -t ${text}`, ''], EXIT_UNKNOWN);
  return new GridEngineFailure([lonelyTasks(text)], EXIT_USAGE);
}

function complaint(text: string, exitCode: number): GridEngineFailure {
  return new GridEngineFailure([`qalter: ${text}`], exitCode);
}
