/**
 * Sending signals to attempts. Requests of one turn of the loop share one look at the machine's processes;
 * killing goes on until the attempt, or the step, is over.
 */

import type { SignalScope } from '../model/job-spec.ts';
import { SIGCONT } from '../model/signals.ts';
import { type LiveAttempt, type LiveStep, parentsOf, stepTargetOf, targetOf } from './live.ts';
import { type Target, takeSnapshot } from './members.ts';
import { askToEnd, freezeMembers, killMembers, signalEach, signalMain } from './stop.ts';

export interface Signalling {
  send(live: LiveAttempt, signal: number, scope: SignalScope, sent: () => void): void;
  /** The same, and lets go on what is stopped: it is to end. */
  askToEnd(live: LiveAttempt, signal: number, scope: SignalScope): void;
  /** Stops all but shims and callers where they are. */
  freeze(live: LiveAttempt): void;
  thaw(live: LiveAttempt): void;
  /** Kills all but shims and callers, again and again; `between` looks whether that was enough. */
  killUntilOver(live: LiveAttempt, between: () => void): void;
  killStepUntilOver(live: LiveAttempt, step: LiveStep, between: () => void): void;
  close(): void;
}

interface Request {
  readonly live: LiveAttempt;
  readonly signal: number;
  readonly scope: SignalScope;
  readonly isToEnd: boolean;
  readonly sent: () => void;
}

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1000;

export function createSignalling(yardId: string): Signalling {
  let requests: Request[] = [];
  const pauses = new Set<NodeJS.Timeout>();
  let closed = false;

  function sendAll(): void {
    const batch = requests;
    requests = [];
    if (closed) return;
    const snapshot = batch.some(({ scope }) => scope !== 'main') ? takeSnapshot(yardId) : null;
    for (const { live, signal, scope, isToEnd, sent } of batch) {
      if (scope === 'main' || snapshot === null) signalMain(parentsOf(live), signal);
      else (isToEnd ? askToEnd : signalEach)(snapshot.membersIn(targetOf(live), scope), signal);
      sent();
    }
  }

  function ask(request: Request): void {
    requests.push(request);
    if (requests.length === 1) setImmediate(sendAll);
  }

  function kill(target: () => Target | null, between: () => void, pauseMs: number): void {
    const living = closed ? null : target();
    if (living === null) return;
    killMembers(living, yardId);
    const pause = setTimeout(() => {
      pauses.delete(pause);
      between();
      kill(target, between, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    }, pauseMs);
    pause.unref();
    pauses.add(pause);
  }

  return {
    send: (live, signal, scope, sent) => ask({ live, signal, scope, isToEnd: false, sent }),
    askToEnd: (live, signal, scope) => ask({ live, signal, scope, isToEnd: true, sent: () => {} }),
    freeze: (live) => freezeMembers(targetOf(live), yardId),
    thaw: (live) => ask({ live, signal: SIGCONT, scope: 'all', isToEnd: false, sent: () => {} }),
    killUntilOver(live, between) {
      if (live.killing) return;
      live.killing = true;
      kill(() => (live.phase === 'ending' ? null : targetOf(live)), between, FIRST_PAUSE_MS);
    },
    killStepUntilOver(live, step, between) {
      const target = () => (step.over || live.phase === 'ending' ? null : stepTargetOf(live, step.step.n));
      kill(target, between, FIRST_PAUSE_MS);
    },
    close() {
      closed = true;
      for (const pause of pauses) clearTimeout(pause);
    },
  };
}
