/** `-w`: how a change is looked at before it is made. */

import { isLive } from '../../../model/job.ts';
import { lastWord } from '../flags.ts';
import type { KnownJob } from '../job-list.ts';
import type { AskedFlag } from '../submit/layers.ts';
import type { Validation } from '../submit/submission.ts';

/** Said of a job for which no queue is looked for. */
export const SETTLED = 'verification: job is already running or is held';

/** `e`, `w`, `p`, `v`, or `n` when nothing was said. */
export function validationOf(given: readonly AskedFlag[]): Validation {
  return (lastWord(given, '-w') ?? 'n') as Validation;
}

export function isSettled({ view: { job }, elements }: KnownJob): boolean {
  return (
    job.phase === 'held' || job.phase === 'active' || elements.some((element) => isLive(element.job.attempt))
  );
}

/** `-w v` and `-w p` change nothing. */
export function looksOnly(validation: Validation): boolean {
  return validation === 'v' || validation === 'p';
}
