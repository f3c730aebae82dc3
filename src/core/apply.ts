/**
 * Event → state: what each fact changes. Decides nothing, refuses nothing; replaying the log through this
 * function gives the state back.
 */

import type { Event, ForeignUse } from '../model/event.ts';
import type { AttemptId, JobId, NodeName } from '../model/ids.ts';
import type { Attempt, Job, NodeShare, Placement } from '../model/job.ts';
import { isLive, isUnderWay, newAttempt, newJob } from '../model/job.ts';
import { BrokenInvariant, invariant } from '../model/refusal.ts';
import type { Step } from '../model/step.ts';
import { countElement, dropUnstarted, splitElement } from './elements.ts';
import { dropFootprint, putFootprint } from './footprints/book.ts';
import { withCheckpoint, withProgress, withTrouble } from './keeping.ts';
import { chargeUsage } from './priority.ts';
import { specIn } from './queues.ts';
import { dropNode, jobOf, putJob, putNode, putQueue, putStep, type YardState } from './state.ts';
import { announced, resumed, suspended, suspensionCauses } from './suspension.ts';

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
      return letGo(state, event.job, { phase: 'waiting', eligibleAt: null });
    case 'jobPending':
      return letGo(state, event.job, { phase: 'pending', eligibleAt: event.at });
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
        ...(event.loweredLimits === undefined ? {} : { loweredLimits: event.loweredLimits }),
      }));
    case 'attemptTimed':
      return changeAttempt(state, event, () => ({ clockFrom: event.clockFrom }));
    case 'warningDue':
      return changeAttempt(state, event, () => ({ warning: 'due' }));
    case 'warningSent':
      return changeAttempt(state, event, () => ({ warning: 'sent' }));
    case 'stopRequested': {
      const { cause, by, killAt, at, isKill } = event;
      return changeAttempt(state, event, ({ stop, phase }) => ({
        phase: phase === 'syncing' ? phase : 'stopping',
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
      return changeAttempt(state, event, (attempt) => announced(attempt, event));
    case 'attemptSuspended':
      return changeAttempt(state, event, (attempt) => suspended(attempt, event));
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
    case 'attemptSyncing': {
      const { exit, usage, fault, at } = event;
      charge(state, event.job, at);
      return changeAttempt(state, event, (attempt) => ({
        ...(suspensionCauses(attempt).length === 0 ? {} : resumed(attempt, undefined, at)),
        phase: 'syncing',
        endedAt: at,
        exit,
        usage,
        fault,
        signals: [],
      }));
    }
    case 'attemptEnded': {
      const { exit, usage, fault, at } = event;
      charge(state, event.job, at);
      const { job, attempt } = currentOf(state, event);
      const ended = {
        ...attempt,
        phase: 'ended',
        ...endedTimes(attempt, at),
        exit,
        usage,
        fault,
      } as const;
      return putJob(state, withProgress(job, { ...ended, signals: [] }, event.progress));
    }
    case 'deviceShareChanged':
      return changeAttempt(state, event, ({ placement }) => ({ placement: withShare(placement, event) }));
    case 'attemptLost':
      charge(state, event.job, event.at);
      return changeAttempt(state, event, (attempt) => ({
        phase: 'lost',
        ...endedTimes(attempt, event.at),
        fault: event.reason,
        signals: [],
      }));
    case 'checkpointKept': {
      const { job, attempt } = currentOf(state, event);
      return putJob(state, withCheckpoint(job, attempt, event.checkpoint));
    }
    case 'checkpointTroubled': {
      const { job, attempt } = currentOf(state, event);
      return putJob(state, withTrouble(job, attempt, event.trouble));
    }
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
    case 'footprintLearned':
      return putFootprint(state, event.footprint);
    case 'footprintForgotten':
      return dropFootprint(state, event.key, event.device);
    case 'foreignUseSeen':
      return putForeignUse(state, event.node, event.foreign);
    case 'clockJumped':
      return shiftClocks(state, event.byMs);
    default:
      throw new BrokenInvariant(`unknown event ${JSON.stringify(event satisfies never)}`);
  }
}

function withShare(
  placement: Placement,
  { node, share }: Extract<Event, { type: 'deviceShareChanged' }>,
): Placement {
  const changed = (devices: NodeShare['devices']) =>
    devices.map((device) => (device.index === share.index ? share : device));
  const nodes = placement.nodes.map((each) =>
    each.node === node ? { ...each, devices: changed(each.devices) } : each,
  );
  return { ...placement, nodes };
}

function putForeignUse(state: YardState, name: NodeName, foreign: readonly ForeignUse[]): void {
  const node = state.nodes.get(name);
  invariant(node !== undefined, `node ${name} is not known`);
  const bytesOf = new Map(foreign.map(({ index, bytes }) => [index, bytes]));
  const devices = node.devices.map(({ foreignBytes: _before, ...device }) => {
    const foreignBytes = bytesOf.get(device.index) ?? 0;
    return foreignBytes === 0 ? device : { ...device, foreignBytes };
  });
  putNode(state, { ...node, devices });
}

/** Nobody holds it any more, and what it failed to do before is not held against it. */
function letGo(state: YardState, id: JobId, changes: Pick<Job, 'phase' | 'eligibleAt'>): void {
  const { stagnant } = jobOf(state, id);
  change(state, id, {
    ...changes,
    hold: null,
    fruitless: 0,
    ...(stagnant === undefined ? {} : { stagnant: 0 }),
  });
}

/** An attempt whose processes were gone before has ended then; what they left is safe, or given up, only now. */
function endedTimes({ endedAt }: Attempt, at: number): Pick<Attempt, 'endedAt' | 'safeAt'> {
  return endedAt === null ? { endedAt: at } : { endedAt, safeAt: at };
}

function requeued(state: YardState, event: Extract<Event, { type: 'jobRequeued' }>): void {
  const { why, hold, at, fruitless = 0, askedAgain, stagnant = 0, isFurther = false } = event;
  const { askedAgain: _before, ...job } = jobOf(state, event.job);
  const revived = job.phase === 'ended';
  // What went wrong so that somebody must look at it first begins again from there.
  const restarts = job.restarts + (hold?.isError === true ? 0 : 1);
  putJob(state, {
    ...job,
    phase: hold === null ? 'pending' : 'held',
    hold,
    // It keeps the age it had earned, so that it is not sent to the back of the queue.
    eligibleAt: hold !== null ? null : revived ? at : (job.eligibleAt ?? at),
    restarts,
    ...(isFurther ? { restartsAtProgress: restarts } : {}),
    fruitless,
    ...(askedAgain === undefined ? {} : { askedAgain }),
    ...(stagnant === (job.stagnant ?? 0) ? {} : { stagnant }),
    outcome: null,
    endedAt: null,
    endedBy: null,
    note: why,
  });
  if (revived && job.outcome !== null) countElement(state, job, job.outcome, -1);
}

/** Once, when its place becomes free. */
function charge(state: YardState, id: JobId, at: number): void {
  const job = jobOf(state, id);
  if (isUnderWay(job.attempt)) chargeUsage(state, job, job.attempt, at);
}

function shiftClocks(state: YardState, byMs: number): void {
  for (const id of [...state.live]) {
    const job = jobOf(state, id);
    const { attempt } = job;
    if (!isUnderWay(attempt)) continue;
    putJob(state, {
      ...job,
      attempt: {
        ...attempt,
        clockFrom: attempt.clockFrom === null ? null : attempt.clockFrom + byMs,
        suspendedAt: attempt.suspendedAt === null ? null : attempt.suspendedAt + byMs,
        ...(attempt.suspendAt == null ? {} : { suspendAt: attempt.suspendAt + byMs }),
        ...(attempt.cpusLentAt == null ? {} : { cpusLentAt: attempt.cpusLentAt + byMs }),
        stop: attempt.stop && { ...attempt.stop, killAt: attempt.stop.killAt + byMs },
      },
    });
  }
}

function change(state: YardState, id: JobId, changes: Partial<Job>): void {
  putJob(state, { ...jobOf(state, id), ...changes });
}

interface About {
  readonly job: JobId;
  readonly attempt: AttemptId;
}

function changeAttempt(
  state: YardState,
  about: About,
  changes: (attempt: Attempt) => Partial<Attempt>,
): void {
  const { job, attempt } = currentOf(state, about);
  putJob(state, { ...job, attempt: { ...attempt, ...changes(attempt) } });
}

function currentOf(state: YardState, { job: id, attempt: attemptId }: About): { job: Job; attempt: Attempt } {
  const job = jobOf(state, id);
  const { attempt } = job;
  invariant(
    attempt !== null && attempt.id === attemptId,
    `attempt ${attemptId} is not the current one of job ${id}`,
  );
  return { job, attempt };
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
