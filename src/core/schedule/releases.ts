/** What will be given back, and when at the latest: what a place that is kept, and a forecast, count on. */

import type { JobId, NodeName } from '../../model/ids.ts';
import { type Attempt, holdsResources, type Job, type NodeShare, sharesHeld } from '../../model/job.ts';
import { limitAt } from '../due.ts';
import { jobOf } from '../state.ts';
import { suspensionCauses } from '../suspension.ts';
import type { Pass, Preempt } from './pass.ts';

export interface Release {
  readonly job: JobId;
  readonly at: number;
  readonly shares: readonly NodeShare[];
  /** Its CPUs alone, for as long as it is suspended: whoever had them stays. */
  readonly cpusOnly?: true;
}

/** Of what runs now or was started in this pass, the earliest first. */
export function releasesOf(pass: Pass): Release[] {
  const asked = new Map(pass.preempts.map((preempt) => [preempt.job, preempt]));
  const owed = cpuIdsOwed(pass);
  const releases: Release[] = [];
  for (const id of pass.state.live) {
    const job = jobOf(pass.state, id);
    if (holdsResources(job.attempt)) releases.push(...releasesBy(pass, job, job.attempt, asked.get(id)));
  }
  for (const { job, endsBy: at, placement } of pass.starts)
    releases.push({ job, at, shares: placement.nodes });
  const open = owed.size === 0 ? releases : releases.map((release) => lessOwed(pass, release, owed));
  return open.sort((a, b) => (a.at === b.at ? a.job - b.job : a.at - b.at));
}

function releasesBy(pass: Pass, job: Job, attempt: Attempt, asked: Preempt | undefined): Release[] {
  const leavesAt = pass.now + pass.policy.graceMs;
  const end = expectedEnd(job, pass.now);
  const { nodes } = attempt.placement;
  if (asked?.suspend === false) return [{ job: job.id, at: leavesAt, shares: sharesHeld(attempt) }];
  // Its CPUs were taken off what is free when its turn came.
  if (pass.waiting.has(job.id) || pass.returns.includes(job.id))
    return [{ job: job.id, at: end, shares: nodes }];
  const hasLent = pass.lenders.some((lender) => lender.job.id === job.id);
  const willLend = !hasLent && (asked !== undefined || isToLend(attempt));
  const held = hasLent || willLend ? sharesHeld({ ...attempt, cpusLentAt: pass.now }) : sharesHeld(attempt);
  const whole = { job: job.id, at: end, shares: held };
  if (!willLend) return [whole];
  return [{ job: job.id, at: attempt.suspendAt ?? leavesAt, shares: nodes, cpusOnly: true }, whole];
}

/** It has been told that it will be suspended to make room. */
export function isToLend(attempt: Attempt): boolean {
  return attempt.suspendedAt === null && suspensionCauses(attempt).includes('preemption');
}

/** By node and CPU, the last of those who wait to have it back: whoever has it before gives it to another of them. */
function cpuIdsOwed({ state, waiting }: Pass): Map<NodeName, Map<number, number>> {
  const owed = new Map<NodeName, Map<number, number>>();
  for (const [turn, id] of [...waiting].entries()) {
    for (const { node, cpuIds } of jobOf(state, id).attempt?.placement.nodes ?? []) {
      const here = owed.get(node) ?? new Map<number, number>();
      owed.set(node, here);
      for (const cpu of cpuIds) here.set(cpu, turn);
    }
  }
  return owed;
}

function lessOwed(
  { waiting }: Pass,
  release: Release,
  owed: ReadonlyMap<NodeName, ReadonlyMap<number, number>>,
): Release {
  const own = [...waiting].indexOf(release.job);
  const shares = release.shares.map((share) => {
    const here = owed.get(share.node);
    const goOn = share.cpuIds.filter((cpu) => (here?.get(cpu) ?? -1) > own).length;
    return goOn === 0 ? share : { ...share, cpus: share.cpus - goOn };
  });
  return { ...release, shares };
}

/** When a live job ends at the latest, as far as one can know. */
export function expectedEnd(job: Job, now: number): number {
  if (job.attempt?.stop != null) return Math.max(now, job.attempt.stop.killAt);
  const limit = limitAt(job) ?? (job.spec.limitMs === null ? null : now + job.spec.limitMs - spentMs(job));
  return limit === null ? Number.POSITIVE_INFINITY : Math.max(now, limit);
}

/** How long a suspended attempt has run. */
function spentMs({ attempt }: Job): number {
  if (attempt === null || attempt.suspendedAt === null || attempt.clockFrom === null) return 0;
  return attempt.suspendedAt - attempt.clockFrom;
}
