/** Signals that ask a command of the balancer to end: it has something to put away first. */

import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Caller } from '../../client/caller.ts';
import { childrenOf, processInfo } from '../../platform/processes.ts';

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

export interface EndingSignals {
  /** The first that came; null: none has. */
  first(): NodeJS.Signals | null;
  /** Calls back for each from now on, the last listener alone. */
  listen(onSignal: (signal: NodeJS.Signals) => void): void;
}

export function takeEndingSignals({ ignoresHangup }: Pick<Caller, 'ignoresHangup'>): EndingSignals {
  let first: NodeJS.Signals | null = null;
  let listener: (signal: NodeJS.Signals) => void = () => {};
  for (const signal of ENDING) {
    // What nohup had us ignore stays ignored.
    if (signal === 'SIGHUP' && ignoresHangup) continue;
    process.on(signal, () => {
      first ??= signal;
      listener(signal);
    });
  }
  return {
    first: () => first,
    listen(onSignal) {
      listener = onSignal;
    },
  };
}

export function statusOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** What a terminal sends, it sends to all that run in its foreground; what somebody sends to us alone looks the same there. */
export function cameFromTerminal(signal: NodeJS.Signals): boolean {
  if (signal !== 'SIGINT' && signal !== 'SIGQUIT') return false;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const [, , group, , terminal, foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return terminal !== '0' && foreground === group;
}

/** A shell does not pass on what it is sent, so all that it has started are sent it too. */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  for (const each of familyOf(pid)) {
    try {
      process.kill(each, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
}

function familyOf(pid: number): readonly number[] {
  if (processInfo(pid) === null) return [];
  return [pid, ...childrenOf(pid).flatMap((child) => familyOf(child))];
}
