/** `--mail-type`: upon which occasions somebody wants a letter. */

import type { MailOccasion } from '../../../model/job-spec.ts';

const OCCASIONS: Readonly<Record<string, readonly MailOccasion[]>> = {
  NONE: [],
  BEGIN: ['begin'],
  END: ['end'],
  FAIL: ['fail'],
  REQUEUE: ['requeue'],
  INVALID_DEPEND: ['invalidDependency'],
  /** There are no burst buffers, so nothing is ever staged out. */
  STAGE_OUT: [],
  TIME_LIMIT: ['timeLimit'],
  TIME_LIMIT_90: ['timeLimit90'],
  TIME_LIMIT_80: ['timeLimit80'],
  TIME_LIMIT_50: ['timeLimit50'],
  ARRAY_TASKS: ['eachElement'],
  ALL: ['begin', 'end', 'fail', 'requeue', 'invalidDependency'],
};

/** Words that mean nothing are passed over as Slurm does; null when no word means anything. */
export function parseMailTypes(text: string): readonly MailOccasion[] | null {
  const known = text
    .toUpperCase()
    .split(',')
    .filter((word) => Object.hasOwn(OCCASIONS, word));
  return known.length === 0 ? null : known.flatMap((word) => OCCASIONS[word] ?? []);
}
