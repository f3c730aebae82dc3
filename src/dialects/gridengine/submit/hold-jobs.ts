/**
 * `-hold_jid` and `-hold_jid_ad`: other jobs by number, name or pattern, looked up now. Jobs that are not there count as
 * done.
 */

import type { ArraySpec, Dependencies, DependencyTerm } from '../../../model/job-spec.ts';
import { firstOf, lastOf } from '../../../model/ranges.ts';
import type { Asking } from '../../program.ts';
import { allWords } from '../flags.ts';
import { jobsMeant, type KnownJob, readJobWord } from '../job-list.ts';
import { wordOf } from '../words.ts';
import { rejected } from './complaints.ts';
import type { AskedFlag } from './layers.ts';

export interface Waiter {
  readonly user: string;
  readonly array: ArraySpec | null;
  /** As it was written in full; null when it is no array. */
  readonly taskRange: string | null;
}

export function* dependenciesFrom(given: readonly AskedFlag[], waiter: Waiter): Asking<Dependencies | null> {
  const pairwise = heldFor(given, '-hold_jid_ad');
  if (pairwise.length > 0 && waiter.array === null) throw rejected(NO_ARRAY);
  const terms: DependencyTerm[] = [];
  for (const { id } of yield* jobsNamed(heldFor(given, '-hold_jid'), waiter)) {
    terms.push({ kind: 'afterany', job: id, index: null });
  }
  for (const known of yield* jobsNamed(pairwise, waiter)) {
    checkPairs(known, waiter);
    terms.push({ kind: 'aftercorrany', job: known.id, index: null });
  }
  return terms.length === 0 ? null : { need: 'all', terms };
}

/** All that was said with the flag, from every source. */
export function heldFor(given: readonly AskedFlag[], flag: '-hold_jid' | '-hold_jid_ad'): readonly string[] {
  return allWords(given, flag)
    .flatMap((list) => list.split(','))
    .filter((word) => word !== '');
}

/** By name only jobs of one's own; each once. */
function* jobsNamed(words: readonly string[], { user }: Waiter): Asking<readonly KnownJob[]> {
  const found = new Map<number, KnownJob>();
  for (const text of new Set(words)) {
    const word = readJobWord(text);
    if (word === null) continue;
    for (const known of yield* jobsMeant(word, word.number === null ? [user] : null)) {
      found.set(known.id, known);
    }
  }
  return [...found.values()];
}

const NO_ARRAY = 'Can only specify "-hold_jid_ad" option with an array job (using "-t" option)';
const OTHER_RANGE =
  'This array job must have the same range of sub-tasks as the dependent array job specified with -hold_jid_ad';

function checkPairs({ view, isArray }: KnownJob, { array, taskRange }: Waiter): void {
  if (!isArray) throw rejected(NO_ARRAY);
  const others = wordOf(view.job, 'taskRange') ?? endsOf(view.job.spec.array);
  if (withoutStep(others) !== withoutStep(taskRange ?? endsOf(array))) throw rejected(OTHER_RANGE);
}

function endsOf(array: ArraySpec | null): string {
  return array === null ? '' : `${firstOf(array.indices)}-${lastOf(array.indices)}`;
}

function withoutStep(range: string): string {
  return range.split(':')[0] as string;
}
