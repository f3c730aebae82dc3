/**
 * Who holds a job: its owner (`u`), an operator (`o`), the system (`s`), or several. The yard knows one hold; whose it
 * is, is kept with the job's words. A job in error waits for that to be cleared, which is no hold.
 */

import type { Job } from '../../../model/job.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import { isInError } from '../states.ts';
import { wordOf } from '../words.ts';

/** In the order in which they are written. */
const KINDS = 'uos';

/** What becomes of the holds of a job. */
export interface HoldChange {
  readonly set: string;
  readonly clear: string;
}

/** Letters; none when nobody holds it. */
export function holdsOf(job: Job): string {
  if (job.phase !== 'held' || isInError(job)) return '';
  const kinds = inOrder(wordOf(job, 'holds') ?? '');
  return kinds === '' ? 'u' : kinds;
}

export function changedHolds(before: string, { set, clear }: HoldChange): string {
  return inOrder([...before, ...set].filter((kind) => !clear.includes(kind)).join(''));
}

/** The owner's own hold is what no word says. */
export function withHolds({ origin }: JobSpec, holds: string): JobSpec['origin'] {
  const { holds: _before, ...words } = origin.words;
  return { ...origin, words: holds === '' || holds === 'u' ? words : { ...words, holds } };
}

function inOrder(letters: string): string {
  return [...KINDS].filter((kind) => letters.includes(kind)).join('');
}
