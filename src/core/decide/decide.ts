/**
 * Command → events, or a refusal with nothing changed. Only dispatch lives here; each kind of command has a
 * file of its own.
 */

import type { Command } from '../../model/command.ts';
import type { Event } from '../../model/event.ts';
import type { JobId } from '../../model/ids.ts';
import { BrokenInvariant, invariant, type Refusal } from '../../model/refusal.ts';
import { record, type Turn } from '../turn.ts';
import {
  attemptEnded,
  attemptLost,
  attemptRunning,
  overMemory,
  signalSent,
  warningSent,
} from './attempts.ts';
import { cancel, hold, release, requeue, signal } from './control.ts';
import { deviceUseSeen, foreignUseSeen } from './device-use.ts';
import { forgetFootprints, setFootprint } from './footprints.ts';
import { attemptSyncing, checkpointKept, checkpointTrouble, overScratch } from './keeping.ts';
import { drainNode, nodeLost, nodesSeen, resumeNode } from './nodes.ts';
import { giveBack, place, preempt } from './placing.ts';
import { setQueue } from './queues.ts';
import { storeRestored } from './restored.ts';
import { startStep, stepEnded, stopStep } from './steps.ts';
import { submit } from './submit.ts';
import { resume, suspend } from './suspending.ts';
import { tick } from './time.ts';
import { update } from './update.ts';
import { tellDependents } from './waiting.ts';

export interface Decided {
  readonly ok: true;
  readonly job: JobId | null;
  /** The number of the step that was started. */
  readonly step: number | null;
  /** False when there was nothing left to do. */
  readonly changed: boolean;
}

export type Decision = Decided | { readonly ok: false; readonly refusal: Refusal };

export function decide(turn: Turn, command: Command): Decision {
  const before = turn.events.length;
  const result = dispatch(turn, command);
  tellDependents(turn);
  const changed = turn.events.length > before;
  if (result !== null && typeof result === 'object') {
    invariant(!changed, `a refused ${command.type} changed something`);
    return { ok: false, refusal: result };
  }
  return { ok: true, job: result, step: startedStep(turn.events, before), changed };
}

function startedStep(events: readonly Event[], from: number): number | null {
  const event = events[from];
  return event?.type === 'stepStarted' ? event.step.n : null;
}

/** Gives the job concerned, null where there is none, or a refusal. */
function dispatch(turn: Turn, command: Command): JobId | null | Refusal {
  switch (command.type) {
    case 'submit':
      return submit(turn, command.spec);
    case 'cancel':
      return cancel(turn, command.target, command.by, command.atOnce);
    case 'hold':
      return hold(turn, command.target, command.by);
    case 'release':
      return release(turn, command.target, command.by);
    case 'requeue':
      return requeue(turn, command.target, command.by, command.hold);
    case 'signal':
      return signal(turn, command);
    case 'suspend':
      return suspend(turn, command.target, command.by);
    case 'resume':
      return resume(turn, command.target, command.by);
    case 'startStep':
      return startStep(turn, command.target, command.by, command.request);
    case 'stopStep':
      return stopStep(turn, command.target, command.by, command.step);
    case 'stepEnded':
      return stepEnded(turn, command);
    case 'update':
      return update(turn, command.target, command.by, command.changes);
    case 'drainNode':
      return drainNode(turn, command.node, command.reason);
    case 'resumeNode':
      return resumeNode(turn, command.node);
    case 'setQueue':
      return setQueue(turn, command);
    case 'setFootprint':
      return setFootprint(turn, command);
    case 'forgetFootprints':
      return forgetFootprints(turn, command);
    case 'deviceUseSeen':
      return deviceUseSeen(turn, command);
    case 'foreignUseSeen':
      return foreignUseSeen(turn, command);
    case 'place':
      return place(turn, command);
    case 'preempt':
      return preempt(turn, command);
    case 'giveBack':
      return giveBack(turn, command.job);
    case 'nodesSeen':
      return nodesSeen(turn, command.nodes);
    case 'nodeLost':
      return nodeLost(turn, command.node, command.reason);
    case 'attemptRunning':
      return attemptRunning(turn, command);
    case 'attemptEnded':
      return attemptEnded(turn, command);
    case 'attemptLost':
      return attemptLost(turn, command.attempt, command.reason);
    case 'warningSent':
      return warningSent(turn, command.attempt);
    case 'signalSent':
      return signalSent(turn, command.attempt, command.n);
    case 'overMemory':
      return overMemory(turn, command.attempt);
    case 'attemptSyncing':
      return attemptSyncing(turn, command);
    case 'checkpointKept':
      return checkpointKept(turn, command);
    case 'checkpointTrouble':
      return checkpointTrouble(turn, command);
    case 'overScratch':
      return overScratch(turn, command);
    case 'storeRestored':
      return storeRestored(turn, command.backupOf, command.claimed);
    case 'tick':
      return tick(turn);
    case 'clockJumped':
      record(turn, { type: 'clockJumped', byMs: command.byMs });
      return null;
    default:
      throw new BrokenInvariant(`unknown command ${JSON.stringify(command satisfies never)}`);
  }
}
