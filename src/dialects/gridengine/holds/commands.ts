/** `qhold` keeps jobs from starting, `qrls` lets them go. Errors are not their business. */

import { printable } from '../../../model/bytes.ts';
import type { RangeSet } from '../../../model/ranges.ts';
import { type Asking, printErr, printOut } from '../../program.ts';
import { changerOf, STATUS_NO_SUCH_JOB, STATUS_OK } from '../changer.ts';
import type { GridEngineCommand } from '../command.ts';
import { helpText, JOB_LIST_NOTES } from '../help-text.ts';
import { jobsMeant, type KnownJob, knownJobs } from '../job-list.ts';
import { type HoldCall, readHoldCall } from './call.ts';
import { changeHolds } from './change-holds.ts';
import type { HoldChange } from './kinds.ts';

const EXIT_FAILED = 1;

export const qhold = holdCommand('qhold', 'hold', (kinds) => ({ set: kinds, clear: '' }));
export const qrls = holdCommand('qrls', 'release', (kinds) => ({ set: '', clear: kinds }));

function holdCommand(name: string, verb: string, changeOf: (kinds: string) => HoldChange): GridEngineCommand {
  const help = helpText(
    `${name} [options] job_task_list`,
    [
      ['[-h hold_list]', `whose holds: those of the owner (u), of an operator (o), of the system (s)`],
      ['[-help]', 'say this'],
      ['[-u user_list]', 'all jobs of these users, in place of a list of jobs'],
      ['job_task_list', `the jobs to ${verb}`],
    ],
    [...JOB_LIST_NOTES, ['user_list', 'names or patterns, with commas between them']],
  );
  return {
    name,
    *run(invocation) {
      const call = readHoldCall(invocation.argv.slice(1));
      if (call.help) {
        yield* printOut(help);
        return STATUS_OK;
      }
      if (call.words.length === 0 && call.users === null) {
        yield* printErr(`${help}ERROR! no option argument\n`);
        return EXIT_FAILED;
      }
      const changer = yield* changerOf(name, invocation);
      const change = changeOf(call.kinds);
      return yield* forEachMeant(call, function* (known, tasks) {
        const { status, lines } = yield* changeHolds(changer, known, tasks, change);
        yield* printOut(lines.map((line) => `${line}\n`).join(''));
        return status;
      });
    },
  };
}

/** The number of what went wrong last. */
function* forEachMeant(
  { users, words }: HoldCall,
  act: (known: KnownJob, tasks: RangeSet | null) => Asking<number>,
): Asking<number> {
  let status = STATUS_OK;
  if (users !== null) {
    const jobs = yield* knownJobs(users);
    for (const known of jobs) status = (yield* act(known, null)) || status;
    if (jobs.length > 0) return status;
    yield* printOut(`The job * of user(s) ${printable(users.join(','))} does not exist\n`);
    return STATUS_NO_SUCH_JOB;
  }
  for (const word of words) {
    const jobs = yield* jobsMeant(word, null);
    for (const known of jobs) status = (yield* act(known, word.tasks)) || status;
    if (jobs.length > 0) continue;
    yield* printOut(`denied: job "${printable(word.text)}" does not exist\n`);
    status = STATUS_NO_SUCH_JOB;
  }
  return status;
}
