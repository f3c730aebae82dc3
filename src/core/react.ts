/**
 * State → what is still owed to the world. After a restart the same function over the same state gives the
 * same list, so that a crash between commit and effect is no special case.
 */

import type { Effect } from '../model/effect.ts';
import type { JobId } from '../model/ids.ts';
import { type Attempt, isLive, type Job } from '../model/job.ts';
import type { YardState } from './state.ts';

/** Everything owed, for all jobs or for those named. */
export function react(state: YardState, ids: Iterable<JobId> = state.live): Effect[] {
  const effects: Effect[] = [];
  for (const id of ids) {
    const job = state.jobs.get(id);
    if (job !== undefined && isLive(job.attempt)) owed(job, job.attempt, effects);
  }
  return effects;
}

function owed(job: Job, attempt: Attempt, effects: Effect[]): void {
  if (attempt.stop !== null) {
    if (attempt.startedAt !== null) effects.push({ type: 'watch', job, attempt });
    effects.push({ type: 'stop', job, attempt, step: attempt.stop.step });
    return;
  }
  effects.push({ type: attempt.startedAt === null ? 'start' : 'watch', job, attempt });
  if (attempt.warning === 'due' && job.spec.warning !== null) {
    const { signal, scope } = job.spec.warning;
    effects.push({ type: 'warn', job, attempt, signal, scope });
  }
  for (const { n, signal, scope } of attempt.signals)
    effects.push({ type: 'signal', job, attempt, n, signal, scope });
}

/** One name per thing owed: a loop that has carried it out need not do so again. */
export function effectName(effect: Effect): string {
  switch (effect.type) {
    case 'stop':
      return `stop ${effect.step}`;
    case 'signal':
      return `signal ${effect.n}`;
    default:
      return effect.type;
  }
}
