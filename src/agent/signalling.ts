/**
 * Sending signals to attempts. Requests of one turn of the loop share one look at the machine's processes;
 * killing goes on until the attempt is over.
 */

import type { SignalScope } from '../model/job-spec.ts';
import { type LiveAttempt, targetOf } from './live.ts';
import { takeSnapshot } from './members.ts';
import { killMembers, signalMain, signalMembers } from './stop.ts';

export interface Signalling {
  send(live: LiveAttempt, signal: number, scope: SignalScope, sent: () => void): void;
  /** Kills all but the shims, again and again; `between` looks whether that was enough. */
  killUntilOver(live: LiveAttempt, between: () => void): void;
  close(): void;
}

interface Request {
  readonly live: LiveAttempt;
  readonly signal: number;
  readonly scope: SignalScope;
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
    const snapshot = batch.some((request) => request.scope !== 'main') ? takeSnapshot(yardId) : null;
    for (const { live, signal, scope, sent } of batch) {
      if (scope === 'main' || snapshot === null) signalMain(targetOf(live), signal);
      else signalMembers(targetOf(live), signal, snapshot);
      sent();
    }
  }

  function kill(live: LiveAttempt, between: () => void, pauseMs: number): void {
    if (closed || live.phase === 'ending') return;
    killMembers(targetOf(live), yardId);
    const pause = setTimeout(() => {
      pauses.delete(pause);
      between();
      kill(live, between, Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    }, pauseMs);
    pause.unref();
    pauses.add(pause);
  }

  return {
    send(live, signal, scope, sent) {
      requests.push({ live, signal, scope, sent });
      if (requests.length === 1) setImmediate(sendAll);
    },
    killUntilOver(live, between) {
      if (live.killing) return;
      live.killing = true;
      kill(live, between, FIRST_PAUSE_MS);
    },
    close() {
      closed = true;
      for (const pause of pauses) clearTimeout(pause);
    },
  };
}
