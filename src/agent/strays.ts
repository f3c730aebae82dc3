/**
 * Processes that outlive their job: asked to end, then killed. Looking for them means reading about every
 * process of the machine, so attempts that end at about the same time share one look.
 */

import type { AttemptId } from '../model/ids.ts';
import { SIGTERM } from '../model/signals.ts';
import { catches } from '../platform/processes.ts';
import type { Snapshot, Target } from './members.ts';
import { takeSnapshot } from './members.ts';
import { askToEnd, killMembers } from './stop.ts';

export interface Strays {
  /** Look for strays of this attempt some time soon. */
  lookLater(target: Target): void;
  /**
   * Look now, and call back when nobody is left, or nobody could be got rid of. Those who have been asked to end
   * already, by this signal, and do something about it, such as saving, may go on until `hasten`. `wasForced` tells
   * whether somebody was made to end, whatever it was doing.
   */
  clear(target: Target, done: (wasForced: boolean) => void, askedBy?: number | null): void;
  /** The time that they were given is over. */
  hasten(attempt: AttemptId): void;
  close(): void;
}

export interface StrayTimes {
  /** At most one look in this time. */
  readonly lookEveryMs: number;
  /** Between asking and killing. */
  readonly graceMs: number;
  /** A process that a kill does not end hangs in the kernel; waiting longer would not help. */
  readonly giveUpMs: number;
}

export const STRAY_TIMES: StrayTimes = { lookEveryMs: 1000, graceMs: 2000, giveUpMs: 15_000 };

const RETRY_MS = 50;

interface Hunt {
  readonly target: Target;
  readonly done: ((wasForced: boolean) => void)[];
  askedAt: number | null;
  /** Whoever catches this signal is still given time. */
  patientWith: number | null;
  wasForced: boolean;
}

export function createStrays(yardId: string, log: (line: string) => void, times: StrayTimes): Strays {
  const later = new Map<string, Target>();
  const hunts = new Map<string, Hunt>();
  let lookTimer: NodeJS.Timeout | null = null;
  let huntTimer: NodeJS.Timeout | null = null;

  function look(): void {
    lookTimer = null;
    const snapshot = takeSnapshot(yardId);
    for (const target of later.values()) if (snapshot.membersOf(target).length > 0) begin(target);
    later.clear();
    pursueAll(snapshot);
  }

  function begin(target: Target): Hunt {
    const hunt = hunts.get(nameOf(target)) ?? newHunt(target);
    hunts.set(nameOf(target), hunt);
    return hunt;
  }

  function pursueAll(snapshot: Snapshot): void {
    huntTimer = null;
    for (const hunt of [...hunts.values()]) if (pursue(hunt, snapshot)) finish(hunt);
    if (hunts.size === 0 || huntTimer !== null) return;
    huntTimer = setTimeout(() => pursueAll(takeSnapshot(yardId)), RETRY_MS);
    huntTimer.unref();
  }

  /** True when it is over. */
  function pursue(hunt: Hunt, snapshot: Snapshot): boolean {
    const members = snapshot.membersOf(hunt.target);
    if (members.length === 0) return true;
    const now = performance.now();
    if (hunt.askedAt === null) {
      hunt.askedAt = now;
      hunt.wasForced = true;
      log(`${nameOf(hunt.target)} left ${members.length} processes behind; ending them`);
      askToEnd(members, SIGTERM);
      return false;
    }
    if (now - hunt.askedAt < times.graceMs) return false;
    const { patientWith } = hunt;
    if (patientWith !== null && members.some(({ pid }) => catches(pid, patientWith))) return false;
    hunt.wasForced = true;
    if (killMembers(hunt.target, yardId)) return true;
    if (now - hunt.askedAt < times.giveUpMs) return false;
    log(`processes of ${nameOf(hunt.target)} cannot be killed: ${members.map((m) => m.pid).join(' ')}`);
    return true;
  }

  function finish(hunt: Hunt): void {
    hunts.delete(nameOf(hunt.target));
    for (const done of hunt.done) done(hunt.wasForced);
  }

  return {
    lookLater(target) {
      // By then the numbers of its sessions may be somebody else's.
      later.set(nameOf(target), { ...target, orphans: [] });
      if (lookTimer !== null) return;
      lookTimer = setTimeout(look, times.lookEveryMs);
      lookTimer.unref();
    },
    clear(target, done, askedBy = null) {
      const hunt = begin(target);
      hunt.done.push(done);
      if (askedBy !== null && hunt.askedAt === null) {
        hunt.askedAt = performance.now();
        hunt.patientWith = askedBy;
      }
      if (huntTimer !== null) clearTimeout(huntTimer);
      pursueAll(takeSnapshot(yardId));
    },
    hasten(attempt) {
      for (const hunt of hunts.values()) if (hunt.target.attempt === attempt) hunt.patientWith = null;
    },
    close() {
      if (lookTimer !== null) clearTimeout(lookTimer);
      if (huntTimer !== null) clearTimeout(huntTimer);
      later.clear();
      hunts.clear();
    },
  };
}

function newHunt(target: Target): Hunt {
  return { target, done: [], askedAt: null, patientWith: null, wasForced: false };
}

function nameOf({ attempt, step }: Target): string {
  return step === null ? `attempt ${attempt}` : `step ${step} of attempt ${attempt}`;
}
