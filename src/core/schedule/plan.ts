/**
 * The scheduler: what to start now, whom to ask to make room, who may go on after having done so, and which places are
 * kept for jobs that go first. A recipe over the other files of this folder; it changes nothing. Whoever takes the plan
 * up checks capacity again.
 */

import type { PlanCommand } from '../../model/command.ts';
import type { JobId } from '../../model/ids.ts';
import type { Job } from '../../model/job.ts';
import type { Policy, Queue } from '../../model/policy.ts';
import { indicesOf } from '../../model/ranges.ts';
import { nextStart, placeVaries } from '../places.ts';
import { anyPreempts, mayPreempt } from '../precedence.ts';
import { fairShares } from '../priority.ts';
import { jobOf, type YardState } from '../state.ts';
import { reserve } from './backfill.ts';
import { enterLenders, settleLenders } from './lenders.ts';
import { throttleOf } from './limits.ts';
import { orderOf } from './order.ts';
import { give, newPass, type Pass, type Preempt, type Reservation, type Seat, type Start } from './pass.ts';
import { makeRoom } from './preempt.ts';
import { findSeat, queuesNow } from './seat.ts';

export interface Plan {
  readonly starts: readonly Start[];
  readonly preempts: readonly Preempt[];
  /** Those who lent their CPUs and have them back. */
  readonly returns: readonly JobId[];
  readonly reservations: readonly Reservation[];
}

/** What is to be decided to take it up, in an order in which each finds what the one before has left. */
export function commandsOf({ starts, preempts, returns }: Plan): PlanCommand[] {
  return [
    ...preempts.map((preempt): PlanCommand => ({ type: 'preempt', ...preempt })),
    ...returns.map((job): PlanCommand => ({ type: 'giveBack', job })),
    ...starts.map(
      ({ job, index, placement, queue }): PlanCommand => ({ type: 'place', job, index, placement, queue }),
    ),
  ];
}

export function plan(state: YardState, policy: Policy, now: number): Plan {
  const pass = newPass(state, policy, now);
  enterLenders(pass);
  const indices = new Map<JobId, Iterator<number>>();
  const blockedQueues = new Set<string>();
  const order = orderOf(state, policy, fairShares(state, policy, now), now);
  const places = new Set<string>();
  const isTaken = (place: string) => places.has(place) || state.places.has(place);
  const needNone = onceAsked(() => somebodyWantsNoCpu(pass));
  let blocked = 0;
  let elements = 0;

  for (let contender = order.next(); contender !== undefined; contender = order.next()) {
    if (blocked >= policy.passDepth || nothingCanStart(pass, needNone)) break;
    settleLenders(pass, contender.tier);
    const job = jobOf(state, contender.job);
    const queues = queuesNow(pass, job.spec, blockedQueues);
    if (queues.length === 0) continue;
    if (isThrottled(pass, job)) {
      order.passOn(contender);
      continue;
    }

    const next = nextStart(job, indicesLeft(indices, job), state.nextJobId + elements, isTaken);
    if (next === null || !next.isFree) {
      // Where all that are alike keep theirs in the same place, the others wait for it too.
      if (next === null || placeVaries(job.spec) !== 'not') order.passOn(contender);
      continue;
    }
    const { index, place } = next;
    const seat = findSeat(pass, job.spec, queues) ?? seatByPreemption(pass, job, queues);
    if (seat !== null) {
      give(pass, job, index, seat);
      countElement(pass, job);
      if (index !== null) elements++;
      if (place !== null) places.add(place);
      if (index === null) order.passOn(contender);
      else order.keep(contender);
      continue;
    }
    blocked++;
    keepAPlace(pass, job, queues, blockedQueues);
  }
  settleLenders(pass, Number.NEGATIVE_INFINITY);
  const { starts, preempts, returns, reservations } = pass;
  return { starts, preempts, returns, reservations };
}

/** Null where those who are asked have yet to leave, or nobody can be. */
function seatByPreemption(pass: Pass, job: Job, queues: readonly Queue[]): Seat | null {
  for (const queue of queues) {
    const room = mayPreempt(pass.policy, job.spec, queue) ? makeRoom(pass, job, queue) : null;
    if (room !== null) return room === 'coming' ? null : room;
  }
  return null;
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

/** Nearly every job wants a CPU: when there is none, only preemption could help the others. */
function nothingCanStart(pass: Pass, somebodyNeedsNone: () => boolean): boolean {
  for (const { cpus } of pass.free.values()) if (cpus > 0) return false;
  return !anyPreempts(pass.policy) && !somebodyNeedsNone();
}

/** Looked for once in a pass, since nobody joins while it lasts. */
function onceAsked(find: () => boolean): () => boolean {
  let found: boolean | null = null;
  return () => {
    found ??= find();
    return found;
  };
}

function somebodyWantsNoCpu({ state }: Pass): boolean {
  for (const { sample } of state.backlog.groups.values()) if (sample.resources.cpusPerRank === 0) return true;
  return false;
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

function indicesLeft(indices: Map<JobId, Iterator<number>>, job: Job): Iterator<number> {
  let rest = indices.get(job.id);
  if (rest === undefined) {
    rest = indicesOf(job.array?.unstarted ?? []);
    indices.set(job.id, rest);
  }
  return rest;
}
