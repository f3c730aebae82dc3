/**
 * Effects, each once in the life of this daemon. A new daemon knows nothing of it and carries them out again,
 * which they are made for.
 */

import { effectName, react, stepEffectName } from '../core/react.ts';
import type { YardState } from '../core/state.ts';
import type { Engine } from '../engines/engine.ts';
import type { Effect } from '../model/effect.ts';
import type { AttemptId, JobId } from '../model/ids.ts';

export interface CarryOut {
  /**
   * Carries out what these jobs are owed. Gives back what has to wait until it is safe: the start of a job that
   * must not run again, since a power cut could take back the record of it.
   */
  perform(state: YardState, ids: Iterable<JobId>): Effect[];
  /** The attempt is over. */
  forget(attempt: AttemptId): void;
  /** One of its steps is. */
  forgetStep(attempt: AttemptId, n: number): void;
}

export function carryOut(engine: Engine): CarryOut {
  const performed = new Map<AttemptId, Set<string>>();
  return {
    perform(state, ids) {
      const late: Effect[] = [];
      for (const effect of react(state, ids)) {
        const done = performed.get(effect.attempt.id) ?? new Set<string>();
        const name = effectName(effect);
        // A freshly started attempt is being watched already.
        if (done.has(name) || (effect.type === 'watch' && done.has('start'))) continue;
        performed.set(effect.attempt.id, done.add(name));
        if (effect.type === 'start' && !effect.job.spec.requeue) late.push(effect);
        else engine.perform(effect);
      }
      return late;
    },
    forget: (attempt) => void performed.delete(attempt),
    forgetStep(attempt, n) {
      const done = performed.get(attempt);
      done?.delete(stepEffectName('watchStep', n));
      done?.delete(stepEffectName('stopStep', n));
    },
  };
}
