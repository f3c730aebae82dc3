/**
 * When a pending job is expected to start: those before it are placed one after another at the earliest time
 * that fits, and what runs is taken to run as long as it may. An estimate, and mostly a pessimistic one,
 * since jobs end before their limits.
 */

import type { JobId } from '../../model/ids.ts';
import type { Job, NodeShare, Placement } from '../../model/job.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Node } from '../../model/node.ts';
import type { Policy, Queue } from '../../model/policy.ts';
import { countOf } from '../../model/ranges.ts';
import { newHeap, peek, pop, push } from '../heap.ts';
import { add, addCpus, type Free, subtract } from '../ledger.ts';
import { fairShares } from '../priority.ts';
import { mayStartIn, queuesFor } from '../queues.ts';
import { jobOf, type YardState } from '../state.ts';
import { sized } from './device-wishes.ts';
import { findPlace } from './fit.ts';
import { enterLenders, settleLenders } from './lenders.ts';
import { orderOf } from './order.ts';
import { newPass, nodesFor, type Pass } from './pass.ts';
import { type Release, releasesOf } from './releases.ts';

/** How many jobs ahead are worth simulating for one answer. */
const MAX_AHEAD = 2_000;

/** Null when nobody can say: too many ahead, or somebody ahead without a time limit. */
export function forecast(state: YardState, policy: Policy, now: number, job: Job): number | null {
  const pass = passAhead(state, policy, now);
  const timeline = newTimeline(pass);
  if (!placeAhead(pass, timeline, job.id)) return null;
  return timeline.place(job.id, job.spec)?.at ?? null;
}

/** Those who are to have their CPUs back go before everybody. */
function passAhead(state: YardState, policy: Policy, now: number): Pass {
  const pass = newPass(state, policy, now);
  enterLenders(pass);
  settleLenders(pass, Number.NEGATIVE_INFINITY);
  return pass;
}

/** The same for a job that is not there yet, behind all that are. */
export function forecastNew(
  state: YardState,
  policy: Policy,
  now: number,
  spec: JobSpec,
): Appointment | null {
  const pass = passAhead(state, policy, now);
  const timeline = newTimeline(pass);
  return placeAhead(pass, timeline, null) ? timeline.place(state.nextJobId, spec) : null;
}

/** Places those that go before it; all of them when it is null. False when they are too many to tell. */
function placeAhead({ state, policy, now }: Pass, timeline: Timeline, target: JobId | null): boolean {
  const order = orderOf(state, policy, fairShares(state, policy, now), now);
  let placed = 0;
  for (let contender = order.next(); contender !== undefined; contender = order.next()) {
    if (contender.job === target) return true;
    const { id, spec, array } = jobOf(state, contender.job);
    const copies = array === null ? 1 : countOf(array.unstarted);
    for (let copy = 0; copy < copies; copy++) {
      if (++placed > MAX_AHEAD) return false;
      if (timeline.place(id, spec) === null) break;
    }
    order.passOn(contender);
  }
  return target === null;
}

export interface Appointment {
  readonly at: number;
  readonly placement: Placement;
}

interface Timeline {
  /** Lets time pass until it fits in one of its queues; null when it never does, or none of them starts jobs. */
  place(id: JobId, spec: JobSpec): Appointment | null;
}

function newTimeline(pass: Pass): Timeline {
  const releases = newHeap<Release>((a, b) => a.at < b.at, releasesOf(pass));
  let time = pass.now;

  function move(shares: Release['shares'], how: (free: Free, node: Node, share: NodeShare) => void): void {
    for (const share of shares) {
      const node = pass.state.nodes.get(share.node);
      const free = pass.free.get(share.node);
      if (node !== undefined && free !== undefined) how(free, node, share);
    }
  }

  return {
    place(id, spec) {
      const queues = queuesFor(pass.policy, spec).filter((queue) => mayStartIn(pass.state, queue, spec));
      if (queues.length === 0) return null;
      for (;;) {
        const placement = placeIn(pass, spec, queues);
        if (placement !== null) {
          move(placement.nodes, subtract);
          const endsAt = spec.limitMs === null ? Number.POSITIVE_INFINITY : time + spec.limitMs;
          push(releases, { job: id, at: endsAt, shares: placement.nodes });
          return { at: time, placement };
        }
        const release = peek(releases);
        if (release === undefined || release.at === Number.POSITIVE_INFINITY) return null;
        pop(releases);
        time = Math.max(time, release.at);
        move(release.shares, release.cpusOnly ? (free, _node, share) => addCpus(free, share) : add);
      }
    },
  };
}

function placeIn(pass: Pass, spec: JobSpec, queues: readonly Queue[]): Placement | null {
  for (const queue of queues) {
    const candidates = nodesFor(pass, queue, spec).map((node) => ({
      node,
      free: pass.free.get(node.name) as Free,
    }));
    const placement = findPlace(sized(pass, spec, spec.resources), candidates);
    if (placement !== null) return placement;
  }
  return null;
}
