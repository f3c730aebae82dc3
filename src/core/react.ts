/**
 * State → what is still owed to the world. After a restart the same function over the same state gives the
 * same list, so that a crash between commit and effect is no special case.
 */

import type { Effect } from '../model/effect.ts';
import type { JobId } from '../model/ids.ts';
import { type Attempt, isLive, type Job } from '../model/job.ts';
import { liveSteps, type YardState } from './state.ts';

/** Everything owed, for all jobs or for those named. */
export function react(state: YardState, ids: Iterable<JobId> = state.live): Effect[] {
  const effects: Effect[] = [];
  for (const id of ids) {
    const job = state.jobs.get(id);
    if (job !== undefined && isLive(job.attempt)) owed(state, job, job.attempt, effects);
  }
  return effects;
}

function owed(state: YardState, job: Job, attempt: Attempt, effects: Effect[]): void {
  // Nothing is left of it that could hear anything; what it left is looked after.
  if (attempt.phase === 'syncing') return void effects.push({ type: 'watch', job, attempt });
  if (attempt.stop !== null) {
    if (attempt.startedAt !== null) effects.push({ type: 'watch', job, attempt });
    owedToSteps(state, job, attempt, effects);
    if (attempt.suspensions > 0) effects.push({ type: 'resume', job, attempt, n: attempt.suspensions });
    const { stopSignal } = job.spec;
    const signal = stopSignal === undefined ? {} : { signal: stopSignal };
    effects.push({ type: 'stop', job, attempt, step: attempt.stop.step, ...signal });
    return;
  }
  effects.push({ type: attempt.startedAt === null ? 'start' : 'watch', job, attempt });
  owedToSteps(state, job, attempt, effects);
  if (attempt.suspensions > 0) {
    const type = attempt.suspendedAt === null ? 'resume' : 'suspend';
    effects.push({ type, job, attempt, n: attempt.suspensions });
  }
  if (attempt.warning === 'due' && job.spec.warning !== null) {
    const { signal, scope } = job.spec.warning;
    effects.push({ type: 'warn', job, attempt, signal, scope });
  }
  for (const { n, signal, scope } of attempt.signals)
    effects.push({ type: 'signal', job, attempt, n, signal, scope });
}

function owedToSteps(state: YardState, job: Job, attempt: Attempt, effects: Effect[]): void {
  for (const step of liveSteps(state, attempt.id)) {
    effects.push({ type: 'watchStep', job, attempt, step });
    // An attempt that is stopped takes its steps along.
    if (step.stoppedBy !== null && attempt.stop === null)
      effects.push({ type: 'stopStep', job, attempt, step });
  }
}

/** One name per thing owed: a loop that has carried it out need not do so again. */
export function effectName(effect: Effect): string {
  switch (effect.type) {
    case 'stop':
      return `stop ${effect.step}`;
    case 'signal':
      return `signal ${effect.n}`;
    case 'suspend':
    case 'resume':
      return `${effect.type} ${effect.n}`;
    case 'watchStep':
    case 'stopStep':
      return stepEffectName(effect.type, effect.step.n);
    default:
      return effect.type;
  }
}

export function stepEffectName(type: 'watchStep' | 'stopStep', n: number): string {
  return `${type} ${n}`;
}
