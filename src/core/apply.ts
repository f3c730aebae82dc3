/**
 * Event → state: what each fact changes. Decides nothing, refuses nothing; replaying the log through this
 * function gives the state back.
 */

import type { Event } from '../model/event.ts';
import type { JobId } from '../model/ids.ts';
import type { ArrayProgress, Attempt, Job, Outcome } from '../model/job.ts';
import { isLive, newAttempt, newJob } from '../model/job.ts';
import { countOf, EMPTY, without } from '../model/ranges.ts';
import { BrokenInvariant, invariant } from '../model/refusal.ts';
import type { Step } from '../model/step.ts';
import { chargeUsage } from './priority.ts';
import { specIn } from './queues.ts';
import { dropNode, jobOf, putJob, putNode, putQueue, putStep, type YardState } from './state.ts';
import { announced, resumed, suspended } from './suspension.ts';

export function apply(state: YardState, event: Event): void {
  switch (event.type) {
    case 'jobSubmitted':
      state.nextJobId = Math.max(state.nextJobId, event.job + 1);
      return putJob(state, newJob(event.job, event.spec, event.phase, event.at));
    case 'elementSplit':
      return splitElement(state, event.job, event.array, event.index);
    case 'unstartedDropped':
      return dropUnstarted(state, event.job, event.outcome);
    case 'jobHeld':
      return change(state, event.job, { phase: 'held', hold: event.hold, eligibleAt: null });
    case 'jobWaiting':
      return change(state, event.job, { phase: 'waiting', hold: null, eligibleAt: null, fruitless: 0 });
    case 'jobPending':
      return change(state, event.job, { phase: 'pending', hold: null, eligibleAt: event.at, fruitless: 0 });
    case 'jobUpdated': {
      const job = jobOf(state, event.job);
      const { throttle, ...changes } = event.changes;
      const array =
        throttle === undefined || job.spec.array === null ? job.spec.array : { ...job.spec.array, throttle };
      return change(state, event.job, { spec: { ...job.spec, ...changes, array } });
    }
    case 'attemptAssigned': {
      const job = jobOf(state, event.job);
      const n = (job.attempt?.n ?? 0) + 1;
      invariant(!isLive(job.attempt), `job ${job.id} would have two live attempts`);
      const attempt = newAttempt(event.attempt, n, event.placement, event.at);
      return putJob(state, {
        ...job,
        spec: specIn(job.spec, event.queue ?? job.spec.queue),
        phase: 'active',
        attempt,
      });
    }
    case 'attemptStarted':
      return changeAttempt(state, event, (attempt) => ({
        phase: attempt.phase === 'assigned' || attempt.phase === 'staging' ? 'running' : attempt.phase,
        startedAt: event.startedAt,
        clockFrom: event.startedAt,
      }));
    case 'attemptTimed':
      return changeAttempt(state, event, () => ({ clockFrom: event.clockFrom }));
    case 'warningDue':
      return changeAttempt(state, event, () => ({ warning: 'due' }));
    case 'warningSent':
      return changeAttempt(state, event, () => ({ warning: 'sent' }));
    case 'stopRequested': {
      const { cause, by, killAt, at, isKill } = event;
      return changeAttempt(state, event, ({ stop }) => ({
        phase: 'stopping',
        stop: { cause, by, killAt, requestedAt: at, step: isKill === true ? 'kill' : (stop?.step ?? 'term') },
      }));
    }
    case 'killDue':
      return changeAttempt(state, event, ({ stop }) => ({ stop: stop && { ...stop, step: 'kill' } }));
    case 'signalRequested': {
      const { n, signal, scope } = event;
      return changeAttempt(state, event, ({ signals }) => ({
        signals: [...signals, { n, signal, scope }],
        signalCount: n,
      }));
    }
    case 'suspendAnnounced':
      return changeAttempt(state, event, (attempt) => announced(attempt, event.cause, event.suspendAt));
    case 'attemptSuspended':
      return changeAttempt(state, event, (attempt) => suspended(attempt, event.cause, event.at));
    case 'attemptResumed':
      return changeAttempt(state, event, (attempt) => resumed(attempt, event.cause, event.at));
    case 'stepStarted': {
      const { attempt, n } = event.step;
      changeAttempt(state, { job: event.job, attempt }, () => ({ stepCount: n + 1 }));
      return putStep(state, event.job, event.step);
    }
    case 'stepStopRequested':
      return changeStep(state, event, { stoppedBy: event.by });
    case 'stepEnded':
      return changeStep(state, event, { endedAt: event.at, exit: event.exit, usage: event.usage });
    case 'signalSent':
      return changeAttempt(state, event, ({ signals }) => ({
        signals: signals.filter(({ n }) => n !== event.n),
      }));
    case 'attemptEnded': {
      const { exit, usage, fault } = event;
      charge(state, event.job, event.at);
      return changeAttempt(state, event, () => ({
        phase: 'ended',
        endedAt: event.at,
        exit,
        usage,
        fault,
        signals: [],
      }));
    }
    case 'attemptSyncing': {
      const { exit, usage, fault } = event;
      charge(state, event.job, event.at);
      return changeAttempt(state, event, () => ({ phase: 'syncing', exit, usage, fault, signals: [] }));
    }
    case 'checkpointKept':
      return changeAttempt(state, event, () => ({ checkpoint: event.checkpoint }));
    case 'checkpointTroubled':
      return changeAttempt(state, event, () => (event.trouble === null ? {} : { trouble: event.trouble }));
    case 'attemptLost':
      charge(state, event.job, event.at);
      return changeAttempt(state, event, () => ({
        phase: 'lost',
        endedAt: event.at,
        fault: event.reason,
        signals: [],
      }));
    case 'jobRequeued':
      return requeued(state, event);
    case 'jobEnded': {
      const job = jobOf(state, event.job);
      putJob(state, {
        ...job,
        phase: 'ended',
        outcome: event.outcome,
        endedAt: event.at,
        note: event.note,
        endedBy: event.by,
        hold: null,
      });
      return countElement(state, job, event.outcome, 1);
    }
    case 'nodeSeen':
      return putNode(state, event.node);
    case 'nodeGone':
      return dropNode(state, event.node);
    case 'nodeDrained':
      return changeNode(state, event.node, 'draining', event.reason);
    case 'nodeResumed':
      return changeNode(state, event.node, 'up', null);
    case 'nodeLost':
      return changeNode(state, event.node, 'lost', event.reason);
    case 'queueChanged':
      return putQueue(state, event.queue, event.state);
    case 'clockJumped':
      return shiftClocks(state, event.byMs);
    default:
      throw new BrokenInvariant(`unknown event ${JSON.stringify(event satisfies never)}`);
  }
}

function splitElement(state: YardState, id: JobId, arrayId: JobId, index: number): void {
  const array = jobOf(state, arrayId);
  invariant(array.array !== null, `job ${arrayId} is not an array`);
  state.nextJobId = Math.max(state.nextJobId, id + 1);
  const unstarted = without(array.array.unstarted, index);
  putJob(state, { ...array, id, array: null, element: { array: arrayId, index } });
  putJob(state, {
    ...array,
    ...(unstarted.length === 0 ? ALL_STARTED : {}),
    array: { ...array.array, unstarted, live: array.array.live + 1 },
  });
}

/** An array without unstarted elements only waits for those it has: there is nothing left to hold. */
const ALL_STARTED = { phase: 'active', hold: null } as const;

function dropUnstarted(state: YardState, id: JobId, outcome: Outcome): void {
  const job = jobOf(state, id);
  invariant(job.array !== null, `job ${id} is not an array`);
  const { unstarted, ended } = job.array;
  const count = (ended[outcome] ?? 0) + countOf(unstarted);
  putJob(state, {
    ...job,
    ...ALL_STARTED,
    array: { ...job.array, unstarted: EMPTY, dropped: unstarted, ended: { ...ended, [outcome]: count } },
  });
}

function requeued(state: YardState, event: Extract<Event, { type: 'jobRequeued' }>): void {
  const { why, hold, at, fruitless = 0 } = event;
  const job = jobOf(state, event.job);
  const revived = job.phase === 'ended';
  putJob(state, {
    ...job,
    phase: hold === null ? 'pending' : 'held',
    hold,
    // It keeps the age it had earned, so that it is not sent to the back of the queue.
    eligibleAt: hold !== null ? null : revived ? at : (job.eligibleAt ?? at),
    // What went wrong so that somebody must look at it first begins again from there.
    restarts: job.restarts + (hold?.isError === true ? 0 : 1),
    fruitless,
    outcome: null,
    endedAt: null,
    endedBy: null,
    note: why,
  });
  if (revived && job.outcome !== null) countElement(state, job, job.outcome, -1);
}

/** An element ended (or was revived): its array keeps count. */
function countElement(state: YardState, job: Job, outcome: Outcome, sign: 1 | -1): void {
  if (job.element === null) return;
  const array = jobOf(state, job.element.array);
  invariant(array.array !== null, `job ${array.id} is not an array`);
  const ended = { ...array.array.ended, [outcome]: (array.array.ended[outcome] ?? 0) + sign };
  if (ended[outcome] === 0) delete ended[outcome];
  const progress: ArrayProgress = { ...array.array, live: array.array.live - sign, ended };
  const revives = sign === -1 && array.phase === 'ended';
  putJob(state, {
    ...array,
    array: progress,
    ...(revives ? { phase: 'active', outcome: null, endedAt: null, note: null, endedBy: null } : {}),
  });
}

function charge(state: YardState, id: JobId, at: number): void {
  const job = jobOf(state, id);
  if (job.attempt !== null) chargeUsage(state, job, job.attempt, at);
}

function shiftClocks(state: YardState, byMs: number): void {
  for (const id of [...state.live]) {
    const job = jobOf(state, id);
    const { attempt } = job;
    if (attempt === null) continue;
    putJob(state, {
      ...job,
      attempt: {
        ...attempt,
        clockFrom: attempt.clockFrom === null ? null : attempt.clockFrom + byMs,
        suspendedAt: attempt.suspendedAt === null ? null : attempt.suspendedAt + byMs,
        ...(attempt.suspendAt == null ? {} : { suspendAt: attempt.suspendAt + byMs }),
        stop: attempt.stop && { ...attempt.stop, killAt: attempt.stop.killAt + byMs },
      },
    });
  }
}

function change(state: YardState, id: JobId, changes: Partial<Job>): void {
  putJob(state, { ...jobOf(state, id), ...changes });
}

function changeAttempt(
  state: YardState,
  { job: id, attempt: attemptId }: { job: JobId; attempt: string },
  changes: (attempt: Attempt) => Partial<Attempt>,
): void {
  const job = jobOf(state, id);
  const { attempt } = job;
  invariant(
    attempt !== null && attempt.id === attemptId,
    `attempt ${attemptId} is not the current one of job ${id}`,
  );
  putJob(state, { ...job, attempt: { ...attempt, ...changes(attempt) } });
}

function changeStep(
  state: YardState,
  { job, attempt, n }: { job: JobId; attempt: string; n: number },
  changes: Partial<Step>,
): void {
  const step = state.steps.get(attempt)?.get(n);
  invariant(step !== undefined, `step ${n} of attempt ${attempt} is not live`);
  putStep(state, job, { ...step, ...changes });
}

function changeNode(
  state: YardState,
  name: string,
  nodeState: 'up' | 'draining' | 'lost',
  reason: string | null,
): void {
  const node = state.nodes.get(name);
  invariant(node !== undefined, `node ${name} is not known`);
  putNode(state, { ...node, state: nodeState, reason });
}
