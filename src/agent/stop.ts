/**
 * Ending processes. Asking is one signal to each; killing is repeated until nobody is left, since a process
 * may fork between being seen and being killed. Shims are never signalled to death: they tell the end.
 */

import { childrenOf, sendSignal } from '../platform/processes.ts';
import { killCgroup } from './cgroups.ts';
import { type Snapshot, type Target, takeSnapshot } from './members.ts';

export const SIGKILL = 9;
export const SIGTERM = 15;
const SIGCONT = 18;

/** Forks that outrun one look are found by the next; more than this at once and others must have their turn. */
const LOOKS_AT_ONCE = 10;

/** Signals every process of an attempt but its shims. */
export function signalMembers(target: Target, signal: number, snapshot: Snapshot): void {
  for (const member of snapshot.membersOf(target)) {
    sendSignal(member.pid, signal);
    // A stopped process would not notice that it is asked to end.
    if (signal === SIGTERM && member.state === 'T') sendSignal(member.pid, SIGCONT);
  }
}

/** Signals the process that each shim started: the job as its submitter knows it. */
export function signalMain(target: Target, signal: number): void {
  for (const shim of target.shims) for (const pid of childrenOf(shim)) sendSignal(pid, signal);
}

/** True when nobody was left at the last look. */
export function killMembers(target: Target, yardId: string): boolean {
  for (const directory of target.cgroups) killCgroup(directory);
  // A stopped shim could not tell the end.
  for (const shim of target.shims) sendSignal(shim, SIGCONT);
  for (let look = 0; look < LOOKS_AT_ONCE; look++) {
    const members = takeSnapshot(yardId).membersOf(target);
    if (members.length === 0) return true;
    for (const member of members) sendSignal(member.pid, SIGKILL);
  }
  return false;
}
