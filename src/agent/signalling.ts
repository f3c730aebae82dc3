/**
 * Sending signals to attempts. Requests of one turn of the loop share one look at the machine's processes;
 * killing goes on until the attempt, or the step, is over.
 */

import type { SignalScope } from '../model/job-spec.ts';
import { SIGCONT } from '../model/signals.ts';
import { catches, childrenOf, commandLine, ignores, sendSignal } from '../platform/processes.ts';
import { type LiveAttempt, type LiveStep, parentsOf, stepTargetOf, targetOf } from './live.ts';
import { type Snapshot, type Target, takeSnapshot } from './members.ts';
import { askToEnd, freezeMembers, killMembers, signalEach, signalMain } from './stop.ts';
import { warnedAll, warnedInsteadOfSteps, warnedMain } from './warned.ts';

export interface Signalling {
  send(live: LiveAttempt, signal: number, scope: SignalScope, sent: () => void): void;
  /** The same ahead of its limit: it reaches the programs that wait for it, and kills nobody who need not die. */
  warn(live: LiveAttempt, signal: number, scope: SignalScope, sent: () => void): void;
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
  readonly manner: 'send' | 'warn' | 'askToEnd';
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
    const isBySession = batch.some(({ scope, manner }) => scope !== 'main' || manner === 'warn');
    const snapshot = isBySession ? takeSnapshot(yardId) : null;
    for (const request of batch) {
      send(request, snapshot);
      request.sent();
    }
  }

  function send({ live, signal, scope, manner }: Request, snapshot: Snapshot | null): void {
    if (snapshot !== null && manner === 'warn') warn(live, signal, scope, snapshot);
    else if (scope === 'main' || snapshot === null) signalMain(parentsOf(live), signal);
    else (manner === 'askToEnd' ? askToEnd : signalEach)(snapshot.membersIn(targetOf(live), scope), signal);
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
    send: (live, signal, scope, sent) => ask({ live, signal, scope, manner: 'send', sent }),
    warn: (live, signal, scope, sent) => ask({ live, signal, scope, manner: 'warn', sent }),
    askToEnd: (live, signal, scope) => ask({ live, signal, scope, manner: 'askToEnd', sent: () => {} }),
    freeze: (live) => freezeMembers(targetOf(live), yardId),
    thaw: (live) => ask({ live, signal: SIGCONT, scope: 'all', manner: 'send', sent: () => {} }),
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

const MANNERS = { catches, ignores };

function warn(live: LiveAttempt, signal: number, scope: SignalScope, snapshot: Snapshot): void {
  for (const pid of warned(live, signal, scope, snapshot)) sendSignal(pid, signal);
}

function warned(
  live: LiveAttempt,
  signal: number,
  scope: SignalScope,
  snapshot: Snapshot,
): readonly number[] {
  const target = targetOf(live);
  const mains = parentsOf(live).flatMap(childrenOf);
  if (scope === 'main') return warnedMain(mains, snapshot.membersOf(target), signal, MANNERS);
  const members = snapshot.membersIn(target, scope);
  if (scope !== 'steps' || members.length > 0) return warnedAll(members, signal, MANNERS);
  return warnedInsteadOfSteps(mains, snapshot.membersOf(target), signal, MANNERS, (pid) =>
    runsScript(pid, live.job.spec.program.script),
  );
}

/** Whether it is still the shell that reads the job's script. */
function runsScript(pid: number, script: string | null): boolean {
  return script !== null && commandLine(pid).some((word) => word.endsWith(`/${script}`));
}
