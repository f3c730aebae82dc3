/**
 * When a pending job is expected to start: those before it are placed one after another at the earliest time
 * that fits, and what runs is taken to run as long as it may. An estimate, and mostly a pessimistic one,
 * since jobs end before their limits.
 */

import type { NodeName } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { Policy } from '../../model/policy.ts';
import { countOf } from '../../model/ranges.ts';
import { newHeap, peek, pop, push } from '../heap.ts';
import { add, type Free, subtract } from '../ledger.ts';
import { fairShares, queueNamed } from '../priority.ts';
import { jobOf, type YardState } from '../state.ts';
import { findPlace } from './fit.ts';
import { orderOf } from './order.ts';
import { newPass, nodesFor, type Release, releasesOf } from './pass.ts';

/** How many jobs ahead are worth simulating for one answer. */
const MAX_AHEAD = 2_000;

/** Null when nobody can say: too many ahead, or somebody ahead without a time limit. */
export function forecast(state: YardState, policy: Policy, now: number, job: Job): number | null {
  const pass = newPass(state, policy, now);
  const releases = newHeap<Release>((a, b) => a.at < b.at, releasesOf(pass));
  const order = orderOf(state, policy, fairShares(state, policy, now), now);
  let time = now;
  let placed = 0;

  for (let contender = order.next(); contender !== undefined; contender = order.next()) {
    const next = jobOf(state, contender.job);
    const queue = queueNamed(policy, next.spec.queue);
    const isTarget = next.id === job.id;
    const copies = next.array === null || isTarget ? 1 : countOf(next.array.unstarted);
    for (let copy = 0; queue?.open === true && copy < copies; copy++) {
      if (++placed > MAX_AHEAD) return null;
      const start = placeNext(next, queue);
      if (start === null) {
        if (isTarget) return null;
        break;
      }
      if (isTarget) return start;
    }
    if (isTarget) return null;
    order.passOn(contender);
  }
  return null;

  /** Lets time pass until it fits; null when it never does. */
  function placeNext(next: Job, queue: NonNullable<ReturnType<typeof queueNamed>>): number | null {
    const nodes = nodesFor(pass, queue, next.spec);
    for (;;) {
      const placement = findPlace(
        next.spec.resources,
        nodes.map((node) => ({ node, free: pass.free.get(node.name) as Free })),
      );
      if (placement !== null) {
        move(placement.nodes, subtract);
        const limit = next.spec.limitMs;
        push(releases, {
          job: next.id,
          at: limit === null ? Number.POSITIVE_INFINITY : time + limit,
          shares: placement.nodes,
        });
        return time;
      }
      const release = peek(releases);
      if (release === undefined || release.at === Number.POSITIVE_INFINITY) return null;
      pop(releases);
      time = Math.max(time, release.at);
      move(release.shares, add);
    }
  }

  function move(shares: Release['shares'], how: typeof add): void {
    for (const share of shares) {
      const node = pass.state.nodes.get(share.node as NodeName);
      const free = pass.free.get(share.node);
      if (node !== undefined && free !== undefined) how(free, node, share);
    }
  }
}
