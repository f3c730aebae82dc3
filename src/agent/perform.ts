/** What an agent is asked for, brought to the attempt that it is about. Each may have been asked for before. */

import type { Observation } from '../model/command.ts';
import type { Effect } from '../model/effect.ts';
import type { AttemptId } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import type { SignalScope } from '../model/job-spec.ts';
import type { Intent, LiveAttempt } from './live.ts';
import type { Runner } from './runner.ts';
import type { Signalling } from './signalling.ts';
import type { Speaking } from './speaking.ts';
import type { Steps } from './steps.ts';

export interface PerformParts {
  readonly attempts: ReadonlyMap<AttemptId, LiveAttempt>;
  /** Takes one more under its eyes. */
  readonly track: (job: Job, attempt: Attempt, intent: Intent) => LiveAttempt;
  readonly runner: Runner;
  readonly speaking: Speaking;
  readonly signalling: Signalling;
  readonly steps: Steps;
  readonly report: (observation: Observation) => void;
}

export function performing({
  attempts,
  track,
  runner,
  speaking,
  signalling,
  steps,
  report,
}: PerformParts): (effect: Effect) => void {
  function start(job: Job, attempt: Attempt): void {
    const known = attempts.get(attempt.id);
    if (known === undefined) track(job, attempt, 'start');
    else if (known.phase === 'running') {
      const forMs = Math.round(performance.now() - known.runningSince);
      report({ type: 'attemptRunning', attempt: attempt.id, forMs });
    }
  }

  function watched(job: Job, attempt: Attempt): LiveAttempt {
    return attempts.get(attempt.id) ?? track(job, attempt, 'watch');
  }

  function stop({ job, attempt, step, signal }: Effect & { readonly type: 'stop' }): void {
    const live = attempts.get(attempt.id) ?? track(job, attempt, 'stop');
    if (live.phase !== 'ending') speaking.lastWords(live, job, attempt);
    runner.stop(live, step, signal);
  }

  /** What is to be done when it runs, or at once if it does. */
  function onceRunning(live: LiveAttempt, act: () => void): void {
    if (live.phase === 'running') act();
    else if (live.phase === 'starting') live.whenRunning.push(() => onceRunning(live, act));
  }

  function signal(live: LiveAttempt, number: number, scope: SignalScope, sent: () => void): void {
    onceRunning(live, () => {
      expectSignal(live, scope);
      signalling.send(live, number, scope, sent);
    });
  }

  function warn(live: LiveAttempt, number: number, scope: SignalScope): void {
    onceRunning(live, () => {
      // Where there are no steps, what the ranks themselves run is warned.
      expectSignal(live, scope === 'steps' ? 'all' : scope);
      signalling.warn(live, number, scope, () => report({ type: 'warningSent', attempt: live.attempt.id }));
    });
  }

  function expectSignal(live: LiveAttempt, scope: SignalScope): void {
    if (scope !== 'main' && scope !== 'all') return;
    for (const rank of live.ranks) if (rank.end === null) rank.signalled = true;
  }

  function stopStep(live: LiveAttempt, { job, attempt, step }: Effect & { readonly type: 'stopStep' }): void {
    steps.watch(live, step);
    if (live.phase !== 'ending' && live.steps.get(step.n)?.over === false)
      speaking.lastWordsToStep(live, job, attempt, step.n);
    steps.stop(live, step.n);
  }

  return (effect) => {
    const { job, attempt } = effect;
    switch (effect.type) {
      case 'start':
        start(job, attempt);
        return;
      case 'watch':
        watched(job, attempt);
        return;
      case 'stop':
        stop(effect);
        return;
      case 'warn':
        warn(watched(job, attempt), effect.signal, effect.scope);
        return;
      case 'signal':
        signal(watched(job, attempt), effect.signal, effect.scope, () =>
          report({ type: 'signalSent', attempt: attempt.id, n: effect.n }),
        );
        return;
      case 'suspend': {
        const live = watched(job, attempt);
        onceRunning(live, () => {
          live.isSuspended = true;
          signalling.freeze(live);
        });
        return;
      }
      case 'resume': {
        const live = watched(job, attempt);
        onceRunning(live, () => {
          live.isSuspended = false;
          signalling.thaw(live);
        });
        return;
      }
      case 'watchStep':
        steps.watch(watched(job, attempt), effect.step);
        return;
      case 'stopStep':
        stopStep(watched(job, attempt), effect);
    }
  };
}
