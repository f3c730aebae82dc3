/**
 * The scheduler: what to start now, whom to ask to make room, and which places are kept for jobs that go
 * first. A recipe over the other files of this folder; it changes nothing. Whoever takes the plan up checks
 * capacity again.
 */

import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { Policy, Queue } from '../../model/policy.ts';
import { indicesOf } from '../../model/ranges.ts';
import { fairShares, queueNamed } from '../priority.ts';
import { jobOf, type YardState } from '../state.ts';
import { reserve } from './backfill.ts';
import { findPlace } from './fit.ts';
import { limitReached, throttleOf } from './limits.ts';
import { orderOf } from './order.ts';
import {
  endsBy,
  give,
  newPass,
  nodesFor,
  openTo,
  type Pass,
  type Preempt,
  type Reservation,
  type Start,
} from './pass.ts';
import { makeRoom, mayPreempt } from './preempt.ts';

export interface Plan {
  readonly starts: readonly Start[];
  readonly preempts: readonly Preempt[];
  readonly reservations: readonly Reservation[];
}

export function plan(state: YardState, policy: Policy, now: number): Plan {
  const pass = newPass(state, policy, now);
  const indices = new Map<JobId, Iterator<number>>();
  const blockedQueues = new Set<string>();
  const order = orderOf(state, policy, fairShares(state, policy, now), now);
  let blocked = 0;

  for (let contender = order.next(); contender !== undefined; contender = order.next()) {
    if (blocked >= policy.passDepth || nothingCanStart(pass)) break;
    const job = jobOf(state, contender.job);
    const queue = queueNamed(policy, job.spec.queue);
    if (queue === null || !queue.open || blockedQueues.has(queue.name)) continue;
    if (isThrottled(pass, job)) {
      order.passOn(contender);
      continue;
    }
    if (limitReached(policy, queue, job.spec, pass.running) !== null) continue;

    const index = job.array === null ? null : nextIndex(indices, job);
    if (job.array !== null && index === null) {
      order.passOn(contender);
      continue;
    }
    const nodes = nodesFor(pass, queue, job.spec);
    const placement = findPlace(job.spec.resources, openTo(pass, nodes, endsBy(pass, job.spec)));
    if (placement !== null) {
      give(pass, job, index, placement);
      countElement(pass, job);
      if (index === null) order.passOn(contender);
      else order.keep(contender);
      continue;
    }
    blocked++;
    if (mayPreempt(pass, queue)) makeRoom(pass, job, queue, nodes);
    keepAPlace(pass, job, queue, blockedQueues);
  }
  return { starts: pass.starts, preempts: pass.preempts, reservations: pass.reservations };
}

/** The first job of a queue that cannot start gets a place kept; without backfill its whole queue waits. */
function keepAPlace(pass: Pass, job: Job, queue: Queue, blockedQueues: Set<string>): void {
  if (!pass.policy.backfill) {
    blockedQueues.add(queue.name);
    return;
  }
  if (pass.reservations.some((reservation) => reservation.queue === queue.name)) return;
  const reservation = reserve(pass, job, nodesFor(pass, queue, job.spec));
  if (reservation !== null) pass.reservations.push(reservation);
}

/** Every job wants a CPU: when there is none, only preemption could help. */
function nothingCanStart(pass: Pass): boolean {
  for (const { cpus } of pass.free.values()) if (cpus > 0) return false;
  return !pass.policy.queues.some(({ preempt }) => preempt !== 'off');
}

function isThrottled(pass: Pass, job: Job): boolean {
  const throttle = throttleOf(pass.state, job);
  if (throttle === null) return false;
  return pass.running.ofArray(job.element?.array ?? job.id) >= throttle;
}

function countElement(pass: Pass, job: Job): void {
  if (job.array !== null) pass.running.addElement(job.id);
  else if (job.element !== null) pass.running.addElement(job.element.array);
}

function nextIndex(indices: Map<JobId, Iterator<number>>, job: Job): number | null {
  let rest = indices.get(job.id);
  if (rest === undefined) {
    rest = indicesOf(job.array?.unstarted ?? []);
    indices.set(job.id, rest);
  }
  const { value, done } = rest.next();
  return done === true ? null : value;
}
