/**
 * Who goes first: waiting time, fair share, the queue, the QOS, the size, and what was asked for, each with its
 * weight, so that the sum can be explained.
 */

import type { Attempt, Job } from '../model/job.ts';
import type { JobSpec } from '../model/job-spec.ts';
import type { Policy, Qos, Queue } from '../model/policy.ts';
import type { PriorityBreakdown } from '../model/reason.ts';
import type { YardState } from './state.ts';
import { NOTHING, usedBy } from './tally.ts';

/** What one pass needs to know about every user, worked out once. */
export interface FairShares {
  /** 1 for somebody who used nothing, towards 0 for somebody who used much more than their share. */
  of(user: string): number;
}

export function priorityOf(
  spec: JobSpec,
  eligibleAt: number,
  policy: Policy,
  fair: FairShares,
  now: number,
): PriorityBreakdown {
  const { weights } = policy;
  const waitedMs = Math.max(0, now - eligibleAt);
  const age = weights.age * Math.min(1, policy.ageFullMs === 0 ? 1 : waitedMs / policy.ageFullMs);
  const fairShare = weights.fairShare === 0 ? 0 : weights.fairShare * fair.of(spec.user);
  const queue = weights.queue * (queueNamed(policy, spec.queue)?.priority ?? 0);
  const qos = weights.qos * qosPart(policy, spec.qos);
  const size = weights.size * sizeOfRequest(spec);
  const asked = spec.priority - spec.nice;
  return { total: age + fairShare + queue + qos + size + asked, age, fairShare, queue, qos, size, asked };
}

/** Everybody who has used the yard, or uses it now. */
export function usersOf(state: YardState): Set<string> {
  return new Set([...state.usage.keys(), ...state.tallies.byUser.keys()]);
}

export function fairShares(state: YardState, policy: Policy, now: number): FairShares {
  const users = usersOf(state);
  let totalUsed = 0;
  let totalShares = 0;
  const used = new Map<string, number>();
  for (const user of users) {
    const amount = usageOf(state, policy, user, now);
    used.set(user, amount);
    totalUsed += amount;
    totalShares += sharesOf(policy, user);
  }
  return {
    of(user) {
      const amount = used.get(user) ?? 0;
      if (amount === 0 || totalUsed === 0) return 1;
      const usedPart = amount / totalUsed;
      const dueShare = sharesOf(policy, user) / totalShares;
      return 2 ** -(usedPart / dueShare);
    },
  };
}

/** CPU seconds (a GPU second counts as several), faded with age, what runs now included. */
export function usageOf(state: YardState, policy: Policy, user: string, now: number): number {
  const past = state.usage.get(user);
  const faded = past === undefined ? 0 : fade(past.amount, now - past.at, policy.fairShareHalfLifeMs);
  const running = state.tallies.byUser.get(user) ?? NOTHING;
  const current = Math.max(0, running.weight * now - running.weightedStart) / 1000;
  return faded + current;
}

/** Called when an attempt ends: what it used is written down. The past is faded at the next look. */
export function chargeUsage(state: YardState, job: Job, attempt: Attempt, at: number): void {
  const { user } = job.spec;
  const spent = usedBy(attempt, at) / 1000;
  const past = state.usage.get(user);
  // A fixed half-life here keeps the log replayable when the configured one changes.
  const faded = past === undefined ? 0 : fade(past.amount, at - past.at, STORED_HALF_LIFE_MS);
  state.usage.set(user, { amount: faded + spent, at });
  state.touched.users.add(user);
}

const STORED_HALF_LIFE_MS = 7 * 86_400_000;

function fade(amount: number, elapsedMs: number, halfLifeMs: number): number {
  return amount * 2 ** (-Math.max(0, elapsedMs) / halfLifeMs);
}

export function sharesOf(policy: Policy, user: string): number {
  return policy.shares[user] ?? 1;
}

function sizeOfRequest({ resources }: JobSpec): number {
  const gpus = resources.gpus === null ? 0 : resources.gpus.count;
  return resources.ranks * resources.cpusPerRank + gpus;
}

/** From -1 to 1: its priority against the greatest there is. */
function qosPart(policy: Policy, name: string | null): number {
  const most = policy.qos.reduce((greatest, { priority }) => Math.max(greatest, Math.abs(priority)), 0);
  return most === 0 ? 0 : (qosNamed(policy, name)?.priority ?? 0) / most;
}

/** The QOS of that name; without a name, the one for jobs that name none. */
export function qosNamed(policy: Policy, name: string | null): Qos | null {
  return policy.qos.find((qos) => (name === null ? qos.isDefault : qos.name === name)) ?? null;
}

export function queueNamed(policy: Policy, name: string): Queue | null {
  return policy.queues.find((queue) => queue.name === name) ?? null;
}
