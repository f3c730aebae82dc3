/** What people do to jobs after submission. */

import type { UserCommand } from '../../model/command.ts';
import type { JobId, JobRef } from '../../model/ids.ts';
import { displayId, isLive, isUnderWay, type Job, type StopCause } from '../../model/job.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { SIGKILL } from '../../model/signals.ts';
import { jobOf } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { endJob, hasSucceeded } from './ending.ts';
import {
  alreadyEnded,
  elementsOf,
  find,
  isRefusal,
  mayControl,
  notYours,
  onlyItsCaller,
  settle,
} from './find.ts';
import { noSuchStep, stepOf } from './steps.ts';
import { phaseWhenFree } from './submit.ts';
import { graceMsOf, resumeAttempt } from './suspending.ts';
import { settleWaiting } from './waiting.ts';

export function cancel(turn: Turn, target: JobRef, by: string, atOnce = false): JobId | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  if (!mayControl(found.job, by)) return notYours(found.job);
  const job = settle(turn, found);
  if (job.array !== null)
    for (const element of elementsOf(turn, job.id)) cancelOne(turn, element, by, atOnce);
  cancelOne(turn, jobOf(turn.state, job.id), by, atOnce);
  return job.id;
}

function cancelOne(turn: Turn, job: Job, by: string, atOnce: boolean): void {
  if (job.phase === 'ended') return;
  if (!isLive(job.attempt)) return endJob(turn, job.id, 'cancelled', null, by);
  // All is done but for what it left, and that is what it was run for.
  if (hasSucceeded(job.attempt)) return;
  requestStop(turn, job.id, 'cancelled', by);
  const { attempt } = jobOf(turn.state, job.id);
  if (atOnce && isUnderWay(attempt) && attempt.stop?.step === 'term')
    record(turn, { type: 'killDue', job: job.id, attempt: attempt.id });
}

/** Asks the live attempt to end. A second request never makes the first one milder or later. */
export function requestStop(turn: Turn, id: JobId, cause: StopCause, by: string | null): void {
  const job = jobOf(turn.state, id);
  const { attempt } = job;
  if (!isLive(attempt)) return;
  if (attempt.stop !== null && !overrules(cause, attempt.stop.cause, job)) return;
  // What is stopped where it is could not hear that it is to end.
  resumeAttempt(turn, job, attempt, by ?? 'the yard');
  const isKill = job.spec.stopSignal === SIGKILL;
  const latest = turn.now + (isKill ? 0 : graceMsOf(turn, job));
  const killAt = attempt.stop === null ? latest : Math.min(attempt.stop.killAt, latest);
  const kill = isKill ? { isKill } : {};
  record(turn, { type: 'stopRequested', job: id, attempt: attempt.id, cause, by, killAt, ...kill });
}

const COMES_BACK: ReadonlySet<StopCause> = new Set<StopCause>(['preempted', 'requeued', 'requeuedHeld']);

/** Somebody who cancels a job that would come back wants it gone; somebody who holds it wants it to wait. */
function overrules(next: StopCause, current: StopCause, { spec }: Job): boolean {
  const comesBack = COMES_BACK.has(current) || (current === 'timeLimit' && spec.chain === true);
  return comesBack && (next === 'cancelled' || (next === 'requeuedHeld' && current !== next));
}

export function hold(turn: Turn, target: JobRef, by: string): JobId | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  if (!mayControl(found.job, by)) return notYours(found.job);
  if (found.job.phase === 'ended') return alreadyEnded(found.job, 'held');
  if (found.job.phase === 'active' && found.unsplitIndex === null && !hasPendingElements(turn, found.job))
    return refusal(
      'wrongState',
      `job ${displayId(found.job)} is ${found.job.attempt?.phase === 'syncing' ? 'coming to its end' : 'already running'}`,
      'use `trainyard requeue --hold` to stop it and keep it from starting again',
    );
  const job = settle(turn, found);
  const all = job.array === null ? [job] : [job, ...elementsOf(turn, job.id)];
  for (const each of all) {
    if (each.phase === 'waiting' || each.phase === 'pending')
      record(turn, { type: 'jobHeld', job: each.id, hold: { by: 'user', reason: null } });
  }
  return job.id;
}

function hasPendingElements(turn: Turn, job: Job): boolean {
  return (
    job.array !== null &&
    elementsOf(turn, job.id).some(({ phase }) => phase === 'pending' || phase === 'waiting')
  );
}

export function release(turn: Turn, target: JobRef, by: string): JobId | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  if (!mayControl(found.job, by)) return notYours(found.job);
  if (found.job.phase === 'ended') return alreadyEnded(found.job, 'released');
  const job = settle(turn, found);
  const all = job.array === null ? [job] : [job, ...elementsOf(turn, job.id)];
  for (const each of all) if (each.phase === 'held') releaseOne(turn, each.id);
  return job.id;
}

function releaseOne(turn: Turn, id: JobId): void {
  if (phaseWhenFree(turn, id) === 'pending') record(turn, { type: 'jobPending', job: id });
  else {
    record(turn, { type: 'jobWaiting', job: id });
    settleWaiting(turn, id);
  }
}

export function requeue(turn: Turn, target: JobRef, by: string, andHold: boolean): JobId | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  const { job, unsplitIndex } = found;
  if (!mayControl(job, by)) return notYours(job);
  if (job.spec.program.spread === 'caller') return onlyItsCaller(job);
  if (unsplitIndex !== null) return stillWaiting(`${job.id}_${unsplitIndex}`, andHold);
  if (job.array !== null) {
    const elements = elementsOf(turn, job.id).filter((element) => element.attempt !== null);
    if (elements.length === 0) return refusal('wrongState', `no element of job ${job.id} has run yet`);
    for (const element of elements) requeueOne(turn, element, by, andHold);
    return job.id;
  }
  if (job.phase !== 'active' && job.phase !== 'ended') return stillWaiting(displayId(job), andHold);
  requeueOne(turn, job, by, andHold);
  return job.id;
}

function stillWaiting(name: string, andHold: boolean): Refusal {
  return refusal(
    'wrongState',
    `job ${name} is still waiting to run`,
    andHold ? 'use `trainyard hold` to keep it from starting' : null,
  );
}

function requeueOne(turn: Turn, job: Job, by: string, andHold: boolean): void {
  if (isLive(job.attempt)) {
    requestStop(turn, job.id, andHold ? 'requeuedHeld' : 'requeued', by);
  } else if (job.phase === 'ended') {
    const keep = andHold ? ({ by: 'user', reason: null } as const) : null;
    record(turn, { type: 'jobRequeued', job: job.id, why: `requeued by ${by}`, hold: keep });
  }
}

export function signal(turn: Turn, command: Extract<UserCommand, { type: 'signal' }>): JobId | Refusal {
  const found = find(turn, command.target);
  if (isRefusal(found)) return found;
  if (!mayControl(found.job, command.by)) return notYours(found.job);
  const targets = found.job.array === null ? [found.job] : elementsOf(turn, found.job.id);
  const live = targets.filter((job) => job.attempt?.startedAt != null && isUnderWay(job.attempt));
  if (live.length === 0 || found.unsplitIndex !== null)
    return refusal('wrongState', `job ${displayId(found.job)} is not running`);
  const hearing = live.filter(({ attempt }) => attempt?.stop === null);
  // From then on it is told nothing but to end.
  if (hearing.length === 0)
    return refusal('wrongState', `job ${displayId(found.job)} has been asked to end already`);
  const { signal: number, scope, by } = command;
  if (typeof scope === 'object' && !hearing.some((job) => hasStep(turn, job, scope.step)))
    return noSuchStep(displayId(found.job), scope.step);
  for (const job of hearing) {
    if (!isLive(job.attempt)) continue;
    record(turn, {
      type: 'signalRequested',
      job: job.id,
      attempt: job.attempt.id,
      n: job.attempt.signalCount + 1,
      signal: number,
      scope,
      by,
    });
  }
  return found.job.id;
}

function hasStep({ state }: Turn, { attempt }: Job, n: number): boolean {
  return attempt !== null && stepOf(state, attempt.id, n) !== null;
}
