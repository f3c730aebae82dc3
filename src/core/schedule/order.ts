/**
 * The order in which waiting jobs are looked at: highest priority first, then the longest waiting. Where jobs may
 * preempt each other, those who may go first whatever else counts.
 */

import type { JobId } from '../../model/ids.ts';
import type { Policy } from '../../model/policy.ts';
import { type Group, membersOf } from '../backlog.ts';
import { newHeap, pop, push } from '../heap.ts';
import { tierOf } from '../precedence.ts';
import { type FairShares, priorityOf } from '../priority.ts';
import { jobOf, type YardState } from '../state.ts';

/** A group with the place of its first member in the order. */
export interface Contender {
  readonly group: Group;
  readonly members: Iterator<JobId>;
  job: JobId;
  eligibleAt: number;
  priority: number;
  readonly tier: number;
}

export interface Order {
  /** The next contender; it is out of the order until put back. */
  next(): Contender | undefined;
  /** Back into the order as it was, because it has more to start. */
  keep(contender: Contender): void;
  /** Back into the order with the group's next member, if there is one. */
  passOn(contender: Contender): void;
}

export function orderOf(state: YardState, policy: Policy, fair: FairShares, now: number): Order {
  function advance(contender: Contender): boolean {
    const { value, done } = contender.members.next();
    if (done === true) return false;
    const job = jobOf(state, value);
    contender.job = job.id;
    contender.eligibleAt = job.eligibleAt ?? now;
    contender.priority = priorityOf(job.spec, contender.eligibleAt, policy, fair, now).total;
    return true;
  }

  const contenders: Contender[] = [];
  for (const group of state.backlog.groups.values()) {
    const tier = tierOf(policy, group.sample);
    const members = membersOf(group);
    const contender: Contender = { group, members, job: 0, eligibleAt: 0, priority: 0, tier };
    if (advance(contender)) contenders.push(contender);
  }
  const heap = newHeap(goesFirst, contenders);

  return {
    next: () => pop(heap),
    keep: (contender) => push(heap, contender),
    passOn: (contender) => {
      if (advance(contender)) push(heap, contender);
    },
  };
}

function goesFirst(a: Contender, b: Contender): boolean {
  if (a.tier !== b.tier) return a.tier > b.tier;
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.eligibleAt !== b.eligibleAt ? a.eligibleAt < b.eligibleAt : a.job < b.job;
}
