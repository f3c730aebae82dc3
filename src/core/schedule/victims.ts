/**
 * Who could make room: what each job that may have to leave would give, and what work would be lost by it. Those who
 * are suspended lose nothing and give their CPUs alone; those who are ended give all, and lose what they have done
 * since their newest checkpoint.
 */

import type { NodeName } from '../../model/ids.ts';
import { type Attempt, hasLentCpus, holdsResources, type Job } from '../../model/job.ts';
import { mayBePreempted, preemptModeOf, tierOf } from '../precedence.ts';
import { jobOf } from '../state.ts';
import type { Pass } from './pass.ts';
import { isToLend } from './releases.ts';

/** One way in which a job could make room. */
export interface Victim {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly tier: number;
  readonly suspend: boolean;
  /** Where it is ended: being suspended is what it would rather be. */
  readonly mayLend: boolean;
  readonly lossMs: number;
}

/** Those of the lowest tier first, then those that lose the least, then the youngest. */
export interface Victims {
  readonly all: readonly Victim[];
  readonly byNode: ReadonlyMap<NodeName, readonly Victim[]>;
}

/** Who is where, as it was when the pass began. */
export interface Occupants {
  /** They were asked to leave, or to lend their CPUs, before or in this pass, and have not done so yet. */
  readonly leaving: Victim[];
  /** Each in the mildest way there is for it. */
  readonly mild: Victims;
  /** Those who could only be suspended are ended, where they may be started again; null: there are none. */
  readonly harsh: Victims | null;
}

const known = new WeakMap<Pass, Occupants>();

/** Found out once in a pass, since many jobs of a pass may look for room. */
export function occupantsOf(pass: Pass): Occupants {
  let occupants = known.get(pass);
  if (occupants === undefined) {
    occupants = findOccupants(pass);
    known.set(pass, occupants);
  }
  return occupants;
}

function findOccupants(pass: Pass): Occupants {
  const leaving: Victim[] = [];
  const mild: Victim[] = [];
  const harsh: Victim[] = [];
  let isAnyMild = false;
  for (const id of pass.state.live) {
    const job = jobOf(pass.state, id);
    const { attempt } = job;
    if (!holdsResources(attempt)) continue;
    const isMild = preemptModeOf(pass.policy, job.spec) === 'suspend';
    // What has lent its CPUs has no more to lend.
    const who = {
      job,
      attempt,
      tier: tierOf(pass.policy, job.spec),
      mayLend: isMild && !hasLentCpus(attempt),
    };
    const ended: Victim = { ...who, suspend: false, lossMs: lossOf(attempt, pass.now) };
    const suspended: Victim = { ...who, suspend: true, lossMs: 0 };
    if (attempt.stop !== null) leaving.push(ended);
    else if (isToLend(attempt)) leaving.push(suspended);
    else if (!mayBePreempted(pass.policy, job.spec)) continue;
    else if (!isMild) {
      mild.push(ended);
      harsh.push(ended);
    } else {
      isAnyMild = true;
      if (who.mayLend) mild.push(suspended);
      if (job.spec.requeue) harsh.push(ended);
      else if (who.mayLend) harsh.push(suspended);
    }
  }
  return { leaving, mild: inOrder(mild), harsh: isAnyMild ? inOrder(harsh) : null };
}

/** How long it has run since its newest checkpoint that is safe, or in all where this run has none. */
export function lossOf({ clockFrom, suspendedAt, checkpoint }: Attempt, now: number): number {
  if (clockFrom === null) return 0;
  const until = suspendedAt ?? now;
  const ranMs = Math.max(0, until - clockFrom);
  return checkpoint === undefined ? ranMs : Math.min(ranMs, Math.max(0, until - checkpoint.writtenAt));
}

function inOrder(victims: Victim[]): Victims {
  victims.sort(byLoss);
  const byNode = new Map<NodeName, Victim[]>();
  for (const victim of victims) {
    for (const { node } of victim.attempt.placement.nodes) {
      const here = byNode.get(node);
      if (here === undefined) byNode.set(node, [victim]);
      else here.push(victim);
    }
  }
  return { all: victims, byNode };
}

function byLoss(a: Victim, b: Victim): number {
  const started = ({ attempt }: Victim) => attempt.startedAt ?? attempt.assignedAt;
  return a.tier - b.tier || a.lossMs - b.lossMs || started(b) - started(a) || b.job.id - a.job.id;
}
