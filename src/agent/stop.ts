/**
 * Ending processes. Asking is one signal to each; killing is repeated until nobody is left, since a process
 * may fork between being seen and being killed. Shims are never signalled to death: they tell the end.
 */

import { SIGCONT, SIGKILL, SIGSTOP } from '../model/signals.ts';
import { childrenOf, type ProcessInfo, processInfo, sendSignal } from '../platform/processes.ts';
import { killCgroup } from './cgroups.ts';
import { type Target, takeSnapshot } from './members.ts';

/** Forks that outrun one look are found by the next; more than this at once and others must have their turn. */
const LOOKS_AT_ONCE = 10;

export function signalEach(members: readonly ProcessInfo[], signal: number): void {
  for (const { pid } of members) sendSignal(pid, signal);
}

/**
 * Asks each to end, and to go on: a stopped process would not notice, and one that is only just being stopped
 * cannot be told from one that goes.
 */
export function askToEnd(members: readonly ProcessInfo[], signal: number): void {
  for (const { pid } of members) {
    sendSignal(pid, signal);
    sendSignal(pid, SIGCONT);
  }
}

/** Signals what these shims and callers started: the job as its submitter knows it. */
export function signalMain(parents: readonly number[], signal: number): void {
  for (const parent of parents) for (const pid of childrenOf(parent)) sendSignal(pid, signal);
}

/**
 * Stops every process where it is. One that was forked meanwhile is found by the next look; one that is just becoming
 * another program shows nothing of what it is at that moment, so one look without any is not enough.
 */
export function freezeMembers(target: Target, yardId: string): void {
  let looksInVain = 0;
  for (let look = 0; look < LOOKS_AT_ONCE && looksInVain < 2; look++) {
    const going = takeSnapshot(yardId)
      .membersOf(target)
      .filter(({ state }) => state !== 'T');
    looksInVain = going.length === 0 ? looksInVain + 1 : 0;
    signalEach(going, SIGSTOP);
  }
}

/** True when nobody was left at the last look. */
export function killMembers(target: Target, yardId: string): boolean {
  for (const directory of target.cgroups) killCgroup(directory);
  // A stopped one could not tell the end.
  for (const pid of [...target.shims, ...target.callers])
    if (processInfo(pid)?.state === 'T') sendSignal(pid, SIGCONT);
  for (let look = 0; look < LOOKS_AT_ONCE; look++) {
    const members = takeSnapshot(yardId).membersOf(target);
    if (members.length === 0) return true;
    for (const member of members) sendSignal(member.pid, SIGKILL);
  }
  return false;
}
