/** Waiting for jobs to end, and what that means as an exit code. */

import type { JobId, JobRef } from '../../model/ids.ts';
import { displayId, type Job } from '../../model/job.ts';
import type { JobDetail } from '../../model/query.ts';
import { type Asking, awaitChange } from '../program.ts';
import { counted, listed } from '../text/words.ts';
import { endingSentence, exitStatus } from './endings.ts';
import { byName, findJob, findLive, refText } from './look-up.ts';
import { OUTCOME_WORDS } from './states.ts';

/** A change wakes us; looking again now and then costs little. */
const LOOK_AGAIN_MS = 10_000;
/** Nothing tells when an element of an array gets a record of its own. */
const LOOK_FOR_ELEMENT_MS = 1000;

/** Calls back once for each job, in the order in which they end. */
export function* awaitEnd(
  refs: readonly JobRef[],
  onEnd: (ref: JobRef, ended: JobDetail) => Asking<void>,
): Asking<void> {
  let open = refs;
  while (open.length > 0) {
    const live = byName(yield* findLive(open));
    const still: JobRef[] = [];
    const watched: JobId[] = [];
    let lookAgainMs = LOOK_AGAIN_MS;
    for (const ref of open) {
      const view = live.get(refText(ref));
      if (view !== undefined) {
        still.push(ref);
        watched.push(view.job.id);
        continue;
      }
      const found = yield* findJob(ref);
      if (found.unstartedIndex === null && found.detail.view.job.phase === 'ended') {
        yield* onEnd(ref, found.detail);
        continue;
      }
      still.push(ref);
      watched.push(found.detail.view.job.id);
      lookAgainMs = LOOK_FOR_ELEMENT_MS;
    }
    open = still;
    if (open.length > 0) yield* awaitChange(watched, lookAgainMs);
  }
}

/** For an array, the highest of its elements; elements that never ran count as failed. */
export function exitStatusOf(detail: JobDetail): number {
  const { job } = detail.view;
  if (job.array === null) return exitStatus(job);
  const codes = detail.elements.map((element) => exitStatus(element.job));
  const allCompleted = endedOtherwise(job).length === 0;
  return Math.max(allCompleted ? 0 : 1, ...codes);
}

export function endedSentence(detail: JobDetail): string {
  const { job } = detail.view;
  if (job.array === null) return endingSentence(job);
  const parts = Object.entries(job.array.ended).map(
    ([outcome, count]) => `${count} ${OUTCOME_WORDS[outcome as keyof typeof OUTCOME_WORDS].word}`,
  );
  const total = Object.values(job.array.ended).reduce((sum, count) => sum + count, 0);
  if (total === 0) return endingSentence(job);
  return `array ${displayId(job)} ended: of ${counted(total, 'element')} ${listed(parts, 9)}`;
}

function endedOtherwise(job: Job): readonly string[] {
  if (job.outcome !== null && job.outcome !== 'completed') return [job.outcome];
  return Object.keys(job.array?.ended ?? {}).filter((outcome) => outcome !== 'completed');
}
