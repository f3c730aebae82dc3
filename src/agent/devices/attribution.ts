/**
 * Whose a process on a device is. A process counts for one attempt only, so that neighbours on a device do not show
 * up in each other's profile. Pure: what is known of processes and of attempts is found out elsewhere.
 */

import type { AttemptId, NodeName } from '../../model/ids.ts';

/** What is known of a process that uses a device. */
export interface ProcessFacts extends Kin {
  /** Itself, those it comes from, nearest first, and then those whom the leader of its session comes from. */
  readonly ancestry: readonly Kin[];
  readonly session: number;
  /** Which attempt of this yard its environment names; null: none. */
  readonly markedFor: AttemptId | null;
  /** As the kernel lists them; empty where that is not to be had. */
  readonly cgroups: string;
  /** What it is called, and whose it is. */
  readonly command: string;
  readonly user: string;
}

export interface Kin {
  readonly pid: number;
  readonly startTicks: number;
}

/** An attempt that holds devices. */
export interface Holder {
  readonly attempt: AttemptId;
  /** Who asked for the place and holds it from outside; null: the yard runs it, or nobody in particular does. */
  readonly caller: Kin | null;
  /** The sessions that its shims lead right now. */
  readonly sessions: () => readonly number[];
  /** None of its own processes started before. */
  readonly sinceTicks: number;
  /** Directories. */
  readonly cgroups: readonly string[];
  readonly holds: (device: DeviceName) => boolean;
}

export interface DeviceName {
  readonly node: NodeName;
  readonly index: number;
}

export type Owner =
  | { readonly kind: 'attempt'; readonly attempt: AttemptId }
  /** Of the yard, but of an attempt that is just coming or going. */
  | { readonly kind: 'yard' }
  /** Nobody has kept for it what it uses. */
  | { readonly kind: 'foreign' };

export interface Holders {
  readonly all: readonly Holder[];
  /** Whether this attempt runs, with devices or without. */
  readonly isRunning: (attempt: AttemptId) => boolean;
}

/**
 * Whoever holds a device from outside has it for itself and all that it starts, also from within a job that has other
 * devices: the nearest one counts. A process of a job on a device that the job does not have is a stranger there.
 */
export function ownerOf(facts: ProcessFacts, device: DeviceName, { all, isRunning }: Holders): Owner {
  const ofCaller = callerAmong(facts, device, all);
  if (ofCaller !== null) return { kind: 'attempt', attempt: ofCaller.attempt };
  const marked = facts.markedFor;
  const holder = all.find((each) => (marked === null ? isWithin(facts, each) : each.attempt === marked));
  if (holder !== undefined)
    return holder.holds(device) ? { kind: 'attempt', attempt: holder.attempt } : { kind: 'foreign' };
  return marked !== null && !isRunning(marked) ? { kind: 'yard' } : { kind: 'foreign' };
}

function callerAmong({ ancestry }: ProcessFacts, device: DeviceName, all: readonly Holder[]): Holder | null {
  const outside = all.filter(({ caller, holds }) => caller !== null && holds(device));
  if (outside.length === 0) return null;
  for (const kin of ancestry) {
    const holder = outside.find(
      ({ caller }) => caller?.pid === kin.pid && caller.startTicks === kin.startTicks,
    );
    if (holder !== undefined) return holder;
  }
  return null;
}

/** For those who have cleared their environment. */
function isWithin(facts: ProcessFacts, holder: Holder): boolean {
  if (holder.cgroups.some((directory) => isListed(facts.cgroups, directory))) return true;
  return facts.startTicks >= holder.sinceTicks && holder.sessions().includes(facts.session);
}

/** The kernel lists groups from the root of their hierarchy, wherever that is mounted; names end alike. */
function isListed(listed: string, directory: string): boolean {
  const name = directory.split('/').slice(-2).join('/');
  return listed.split('\n').some((line) => line.endsWith(`/${name}`));
}
