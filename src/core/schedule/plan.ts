/**
 * The scheduler: what to start now, whom to ask to make room, and which places are kept for jobs that go
 * first. A recipe over the other files of this folder; it changes nothing. Whoever takes the plan up checks
 * capacity again.
 */

import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { Policy, Queue } from '../../model/policy.ts';
import { indicesOf } from '../../model/ranges.ts';
import { fairShares } from '../priority.ts';
import { jobOf, type YardState } from '../state.ts';
import { reserve } from './backfill.ts';
import { throttleOf } from './limits.ts';
import { orderOf } from './order.ts';
import { give, newPass, nodesFor, type Pass, type Preempt, type Reservation, type Start } from './pass.ts';
import { makeRoom, mayPreempt } from './preempt.ts';
import { findSeat, queuesNow } from './seat.ts';

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
    const queues = queuesNow(pass, job.spec, blockedQueues);
    if (queues.length === 0) continue;
    if (isThrottled(pass, job)) {
      order.passOn(contender);
      continue;
    }

    const index = job.array === null ? null : nextIndex(indices, job);
    if (job.array !== null && index === null) {
      order.passOn(contender);
      continue;
    }
    const seat = findSeat(pass, job.spec, queues);
    if (seat !== null) {
      give(pass, job, index, seat);
      countElement(pass, job);
      if (index === null) order.passOn(contender);
      else order.keep(contender);
      continue;
    }
    blocked++;
    const strongest = queues.find((queue) => mayPreempt(pass, queue, job.spec));
    if (strongest !== undefined) makeRoom(pass, job, strongest, nodesFor(pass, strongest, job.spec));
    keepAPlace(pass, job, queues, blockedQueues);
  }
  return { starts: pass.starts, preempts: pass.preempts, reservations: pass.reservations };
}

/**
 * The first job of a queue that cannot start gets a place kept; without backfill its whole queue waits. Of several
 * queues, a place is kept in the one that has it first.
 */
function keepAPlace(pass: Pass, job: Job, queues: readonly Queue[], blockedQueues: Set<string>): void {
  if (!pass.policy.backfill) {
    for (const { name } of queues) blockedQueues.add(name);
    return;
  }
  let first: Reservation | null = null;
  for (const queue of queues) {
    if (pass.reservations.some((reservation) => reservation.queue === queue.name)) continue;
    const reservation = reserve(pass, job, queue);
    if (reservation !== null && (first === null || reservation.startAt < first.startAt)) first = reservation;
  }
  if (first !== null) pass.reservations.push(first);
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
