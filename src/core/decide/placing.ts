/** Taking up a plan. The yard may have changed since it was made, so capacity is checked again. */

import type { PlanCommand } from '../../model/command.ts';
import { attemptId, type JobId } from '../../model/ids.ts';
import {
  hasLentCpus,
  holdsResources,
  isLive,
  type Job,
  type NodeShare,
  type Placement,
} from '../../model/job.ts';
import { hasIndex } from '../../model/ranges.ts';
import { devicePosition } from '../devices.ts';
import { pagesLearnt } from '../footprints/book.ts';
import { nextPlace } from '../places.ts';
import { queueState } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { requestStop } from './control.ts';
import { split } from './find.ts';
import { resumeAttempt, suspendAttempt } from './suspending.ts';

export function place(
  turn: Turn,
  { job: id, index, placement, queue }: Extract<PlanCommand, { type: 'place' }>,
): JobId | null {
  const job = turn.state.jobs.get(id);
  if (job === undefined || job.phase !== 'pending' || isLive(job.attempt)) return null;
  if ((index === null) !== (job.array === null)) return null;
  if (index !== null && !hasIndex(job.array?.unstarted ?? [], index)) return null;
  const name = queue ?? job.spec.queue;
  const { disabled, suspended } = queueState(turn.state, name);
  if (disabled || suspended || !stillFits(turn, placement)) return null;
  if (isShownBySomebody(turn, job, placement)) return null;
  const room = nextPlace(job, index, turn.state.nextJobId);
  if (room !== null && turn.state.places.has(room)) return null;
  const starting = index === null ? job : split(turn, id, index);
  const attempt = attemptId(starting.id, (starting.attempt?.n ?? 0) + 1);
  const move = name === starting.spec.queue ? {} : { queue: name };
  record(turn, { type: 'attemptAssigned', job: starting.id, attempt, placement, ...move });
  return starting.id;
}

/** Another of its kind has become the first one meanwhile. */
function isShownBySomebody({ state }: Turn, { spec }: Job, placement: Placement): boolean {
  return pagesLearnt(spec, placement).some((page) => state.learners.has(page));
}

function stillFits({ state }: Turn, placement: Placement): boolean {
  return placement.nodes.every((share) => {
    const node = state.nodes.get(share.node);
    const ledger = state.ledgers.get(share.node);
    if (node === undefined || ledger === undefined || node.state !== 'up') return false;
    const { free } = ledger;
    if (free.cpus < share.cpus || free.memoryBytes < share.memoryBytes) return false;
    if (share.cpuIds.some((cpu) => ledger.takenCpuIds.has(cpu))) return false;
    return share.devices.every(({ index, millis }) => {
      const at = devicePosition(node, index);
      return at >= 0 && (free.devices[at] as number) >= millis;
    });
  });
}

export function preempt(
  turn: Turn,
  { job: id, forJob, suspend }: Extract<PlanCommand, { type: 'preempt' }>,
): JobId | null {
  const job = turn.state.jobs.get(id);
  if (job === undefined || !holdsResources(job.attempt) || job.attempt.stop !== null) return null;
  if (suspend !== true) requestStop(turn, id, 'preempted', `job ${forJob}`);
  else if (job.attempt.startedAt !== null)
    suspendAttempt(turn, job, job.attempt, 'the yard', 'preemption', forJob);
  return id;
}

/** It goes on, where others have left the CPUs that it lent. */
export function giveBack(turn: Turn, id: JobId): JobId | null {
  const job = turn.state.jobs.get(id);
  if (job === undefined || !holdsResources(job.attempt) || job.attempt.stop !== null) return null;
  if (!hasLentCpus(job.attempt) || !job.attempt.placement.nodes.every((share) => hasCpusOf(turn, share)))
    return null;
  resumeAttempt(turn, job, job.attempt, 'the yard', 'preemption');
  return id;
}

/** A node that came back smaller than it was gives what there is. */
function hasCpusOf({ state }: Turn, { node: name, cpus, cpuIds }: NodeShare): boolean {
  const node = state.nodes.get(name);
  const ledger = state.ledgers.get(name);
  if (node === undefined || ledger === undefined) return true;
  return ledger.free.cpus >= Math.min(cpus, node.cpus) && !cpuIds.some((cpu) => ledger.takenCpuIds.has(cpu));
}
