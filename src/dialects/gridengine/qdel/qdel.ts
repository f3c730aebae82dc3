/** `qdel`: takes jobs out of the queue and kills those that run. All it has to say about jobs goes to stdout. */

import { printable } from '../../../model/bytes.ts';
import { type Asking, printErr, printOut } from '../../program.ts';
import type { GridEngineCommand } from '../command.ts';
import { jobsMeant, knownJobs } from '../job-list.ts';
import { type QdelCall, readCall } from './call.ts';
import { type Deletion, deleteJob, noSuchJob } from './delete-job.ts';
import { QDEL_HELP } from './help.ts';

const EXIT_OK = 0;
const EXIT_FAILED = 1;

export const qdel: GridEngineCommand = {
  name: 'qdel',
  *run({ argv, user }) {
    const call = readCall(argv.slice(1));
    if (call.help) {
      yield* printOut(QDEL_HELP);
      return EXIT_OK;
    }
    if (call.words.length === 0 && call.users === null) {
      yield* printOut('ERROR! no option argument\n');
      yield* printErr(QDEL_HELP);
      return EXIT_FAILED;
    }
    const deletion: Deletion = { user, force: call.force };
    const isDone =
      call.words.length === 0 && call.users !== null
        ? yield* deleteAll(deletion, call.users)
        : yield* deleteNamed(deletion, call);
    return isDone ? EXIT_OK : EXIT_FAILED;
  },
};

function* deleteAll(deletion: Deletion, users: readonly string[]): Asking<boolean> {
  const jobs = yield* knownJobs(users);
  if (jobs.length === 0) {
    yield* printOut(
      users.includes('*')
        ? 'There are no jobs registered\n'
        : `There is no job registered for the following users: ${printable(users.join(','))}\n`,
    );
    return false;
  }
  let isDone = true;
  for (const job of jobs) if (!(yield* deleteJob(deletion, job, null))) isDone = false;
  return isDone;
}

/** One after the other: what the first word deleted is not there for the next. */
function* deleteNamed(deletion: Deletion, { words, users }: QdelCall): Asking<boolean> {
  let isDone = true;
  for (const word of words) {
    const isNumber = word.number !== null;
    // A name means the caller's own jobs unless it says whose.
    const owners = users ?? (isNumber ? null : [deletion.user]);
    const jobs = yield* jobsMeant(word, owners);
    if (jobs.length === 0) {
      isDone = false;
      if (owners === null) yield* noSuchJob(word.text);
      else
        yield* printOut(
          `The job ${printable(word.text)} of user(s) ${printable(owners.join(','))} does not exist\n`,
        );
    }
    for (const job of jobs) if (!(yield* deleteJob(deletion, job, word.tasks))) isDone = false;
  }
  return isDone;
}
