/** What was asked of `qdel`. A word with a dash that is no flag of it is the name of a job. */

import { GridEngineFailure } from '../failure.ts';
import { type JobWord, listedWords } from '../job-list.ts';
import { collectJobWords, type JobWordComplaints, lonelyTasks, notAJob } from '../job-words.ts';
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
  const jobs = collectJobWords(COMPLAINTS);
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] as string;
    if (argument === '-t') jobs.narrow(argv[++at]);
    else if (argument === '-help' || argument === '-f' || argument === '-u') {
      jobs.pass();
      if (argument === '-help') help = true;
      else if (argument === '-f') force = true;
      else users = listedWords(argv[++at] ?? '');
    } else jobs.name(argument);
  }
  return { help, force, users: users?.length === 0 ? null : users, words: jobs.words };
}

const COMPLAINTS: JobWordComplaints = {
  noJob: (text) => new GridEngineFailure([`error: ${notAJob(text)}`], 1),
  badTasks([first, ...others]) {
    const complaint = first === undefined ? [] : [`error: ${first}`, ...others];
    return new GridEngineFailure([...QDEL_HELP.trimEnd().split('\n'), ...complaint], 1);
  },
  lonelyTasks: (text) => new GridEngineFailure([`error: ${lonelyTasks(text)}`], 1),
};
