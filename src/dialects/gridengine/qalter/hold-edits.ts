/** Edits of which jobs a job waits for, whole or task by task. */

import type { JobId } from '../../../model/ids.ts';
import { firstOf, lastOf } from '../../../model/ranges.ts';
import type { Asking } from '../../program.ts';
import { jobsMeant, readJobWord } from '../job-list.ts';
import { rejected } from '../submit/complaints.ts';
import { dependenciesFrom, heldFor } from '../submit/hold-jobs.ts';
import { wordOf } from '../words.ts';
import { type Edit, type EditContext, type Edited, flagsNow, isGiven, modified } from './edit.ts';

export const holdJobs: Edit = function* (context) {
  if (!isGiven(context, '-hold_jid')) return null;
  return yield* waitFor(context, '-hold_jid', 'job id hold list');
};

export const holdArrayJobs: Edit = function* (context) {
  if (!isGiven(context, '-hold_jid_ad')) return null;
  return yield* waitFor(context, '-hold_jid_ad', 'job id hold array list');
};

function* waitFor(context: EditContext, flag: '-hold_jid' | '-hold_jid_ad', what: string): Asking<Edited> {
  const { job, given } = context;
  const asked = heldFor(given, flag);
  const { blocking, exited } = yield* lookAt(asked, job.spec.user);
  if (blocking.includes(job.id))
    throw rejected(`denied: job "${job.id}" may not be its own jobnet predecessor`);
  const { array } = job.spec;
  const ends = array === null ? null : `${firstOf(array.indices)}-${lastOf(array.indices)}`;
  const dependencies = yield* dependenciesFrom(flagsNow(context), {
    user: job.spec.user,
    array,
    taskRange: wordOf(job, 'taskRange') ?? ends,
  });
  const word = flag === '-hold_jid' ? 'holdJobs' : 'holdArrayJobs';
  return {
    changes: { dependencies },
    words: { [word]: asked.join(',') },
    lines: [
      modified(what, context),
      `   blocking jobs: ${listOr(blocking)}`,
      `   exited jobs:   ${listOr(exited)}`,
    ],
  };
}

/** By number others' jobs too; a name that nobody has is nothing. */
function* lookAt(
  asked: readonly string[],
  user: string,
): Asking<{ readonly blocking: readonly JobId[]; readonly exited: readonly JobId[] }> {
  const [blocking, exited]: [JobId[], JobId[]] = [[], []];
  for (const text of asked) {
    const word = readJobWord(text);
    if (word === null) continue;
    const found = yield* jobsMeant(word, word.number === null ? [user] : null);
    blocking.push(...found.map(({ id }) => id));
    if (found.length === 0 && word.number !== null) exited.push(word.number);
  }
  return { blocking, exited };
}

function listOr(ids: readonly JobId[]): string {
  return ids.length === 0 ? 'NONE' : ids.join(',');
}
