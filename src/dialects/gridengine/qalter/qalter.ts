/** `qalter`: changes jobs after they were submitted. All it has to say about jobs goes to stdout. */

import { printable } from '../../../model/bytes.ts';
import { type Asking, printErr, printOut, query } from '../../program.ts';
import { changerOf } from '../changer.ts';
import type { GridEngineCommand } from '../command.ts';
import { GridEngineFailure } from '../failure.ts';
import { jobsMeant, knownJobs } from '../job-list.ts';
import { Rejection } from '../submit/complaints.ts';
import { momentFrom } from '../submit/job-request.ts';
import { lookAround } from '../submit/surroundings.ts';
import { flagWarnings } from '../submit/without-effect.ts';
import { type Alteration, alterJob, asOfAJobThatIsThere } from './alter-job.ts';
import { type QalterCall, readCall } from './call.ts';
import { QALTER_HELP } from './help.ts';

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_TASKS = 4;

export const qalter: GridEngineCommand = {
  name: 'qalter',
  *run(invocation) {
    const call = yield* readCall(invocation);
    if (call.help) {
      yield* printOut(QALTER_HELP);
      return EXIT_OK;
    }
    for (const flag of call.repeated) {
      yield* printOut(
        `qalter: warning: "${flag}" option has already been set, overriding previous setting\n`,
      );
    }
    checkTasks(call);
    const { mail } = yield* query('yard', {});
    // What a job asked for before is looked at as well, and that may be about nodes.
    const nodes = yield* query('nodes', { names: null });
    const surroundings = { ...(yield* lookAround([], mail !== null)), nodes };
    for (const flag of ['-a', '-dl']) {
      momentFrom({ given: call.given, command: 'qalter', invocation }, flag, surroundings);
    }
    const changer = yield* changerOf('qalter', invocation);
    const warned = new Set(warningsOf(call, surroundings));
    const isDone = yield* alterAll({ call, invocation, changer, surroundings, warned });
    for (const warning of warned) yield* printErr(`qalter: warning: ${printable(warning)}\n`);
    return isDone ? EXIT_OK : EXIT_FAILED;
  },
};

/** Only a hold is about tasks. */
function checkTasks({ words, given, holds, users }: QalterCall): void {
  if (users !== null || holds !== null || given.length === 0) return;
  if (words.some(({ tasks }) => tasks !== null)) {
    throw new GridEngineFailure(
      ['denied: the selected option works only on jobs and not on tasks'],
      EXIT_TASKS,
    );
  }
}

function warningsOf({ given }: QalterCall, surroundings: Alteration['surroundings']): readonly string[] {
  try {
    return flagWarnings('qalter', given, surroundings);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    throw new GridEngineFailure(error.reasons.map(asOfAJobThatIsThere), EXIT_FAILED, 'stdout');
  }
}

function* alterAll(alteration: Alteration): Asking<boolean> {
  const { users, words } = alteration.call;
  let isDone = true;
  if (users !== null) {
    const jobs = yield* knownJobs(users);
    for (const known of jobs) if (!(yield* alterJob(alteration, known, null))) isDone = false;
    if (jobs.length > 0) return isDone;
    yield* printOut(`The job * of user(s) ${printable(users.join(','))} does not exist\n`);
    return false;
  }
  for (const word of words) {
    const jobs = yield* jobsMeant(word, null);
    for (const known of jobs) if (!(yield* alterJob(alteration, known, word.tasks))) isDone = false;
    if (jobs.length > 0) continue;
    yield* printOut(`denied: job "${printable(word.text)}" does not exist\n`);
    isDone = false;
  }
  return isDone;
}
