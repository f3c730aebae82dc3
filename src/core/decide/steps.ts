/** Steps of a running attempt: begun, asked to end, and ended, by themselves or with the attempt. */

import type { Observation } from '../../model/command.ts';
import type { AttemptId, JobId, JobRef } from '../../model/ids.ts';
import { jobOfAttempt } from '../../model/ids.ts';
import { type Attempt, displayId, type Exit, isLive, isUnderWay, type Job } from '../../model/job.ts';
import { type Refusal, refusal } from '../../model/refusal.ts';
import { SIGKILL, SIGTERM } from '../../model/signals.ts';
import type { Step, StepRequest } from '../../model/step.ts';
import { type KindOf, mayUse, placeStep } from '../schedule/step-fit.ts';
import { liveSteps, type YardState } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { find, isRefusal, mayControl, notYours } from './find.ts';

export function startStep(turn: Turn, target: JobRef, by: string, request: StepRequest): JobId | Refusal {
  const running = runningJob(turn, target, by);
  if ('code' in running) return running;
  const { job, attempt } = running;
  const malformed = whyMalformed(request);
  if (malformed !== null) return refusal('badRequest', malformed);
  const held = attempt.placement.nodes;
  const others = [...liveSteps(turn.state, attempt.id)];
  const placement = placeStep(request, held, others, kindsOf(turn.state));
  if (placement === null) {
    return placeStep(request, held, [], kindsOf(turn.state)) === null
      ? refusal('neverPossible', whyNever(job, attempt, request))
      : refusal('busy', `other steps of job ${displayId(job)} use what this one needs`);
  }
  const { name, command, overlap, cpusPerRank, words } = request;
  const step: Step = {
    attempt: attempt.id,
    n: attempt.stepCount,
    name,
    command,
    placement,
    overlap,
    cpusPerRank,
    ...(words === undefined ? {} : { words }),
    startedAt: turn.now,
    endedAt: null,
    stoppedBy: null,
    exit: null,
    usage: null,
  };
  record(turn, { type: 'stepStarted', job: job.id, step });
  return job.id;
}

/** A job whose attempt runs, and is neither stopping nor suspended. */
function runningJob(
  turn: Turn,
  target: JobRef,
  by: string,
): { readonly job: Job; readonly attempt: Attempt } | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  const { job, unsplitIndex } = found;
  if (!mayControl(job, by)) return notYours(job);
  if (job.array !== null && unsplitIndex === null)
    return refusal('wrongState', `job ${job.id} is an array`, `name one of its elements, as in ${job.id}_1`);
  if (unsplitIndex !== null || !isLive(job.attempt) || job.attempt.startedAt === null)
    return refusal('wrongState', `job ${nameOf(job, unsplitIndex)} is not running`);
  if (job.attempt.stop !== null || !isUnderWay(job.attempt))
    return refusal('wrongState', `job ${displayId(job)} is coming to its end and takes no new steps`);
  if (job.attempt.suspendedAt !== null)
    return refusal('wrongState', `job ${displayId(job)} is suspended`, 'use `trainyard resume` first');
  return { job, attempt: job.attempt };
}

function nameOf(job: Job, unsplitIndex: number | null): string {
  return unsplitIndex === null ? displayId(job) : `${job.id}_${unsplitIndex}`;
}

function kindsOf(state: YardState): KindOf {
  return (node, device) => state.nodes.get(node)?.devices.find(({ index }) => index === device)?.kind ?? null;
}

/** Whoever translated the wish should have seen to this; the core does not rely on it. */
function whyMalformed({
  nodes,
  ranks,
  ranksPerNode,
  cpusPerRank,
  gpus,
  firstNode,
}: StepRequest): string | null {
  const whole = (n: number, least = 1) => Number.isSafeInteger(n) && n >= least;
  if (!whole(ranks)) return `a step cannot have ${ranks} ranks`;
  if (nodes !== null && !(whole(nodes.min) && whole(nodes.max) && nodes.min <= nodes.max))
    return `a step cannot have ${nodes.min} to ${nodes.max} nodes`;
  if (nodes !== null && ranks < nodes.min) return `${ranks} ranks cannot be on ${nodes.min} nodes`;
  if (ranksPerNode !== null && !whole(ranksPerNode)) return `a node cannot have ${ranksPerNode} ranks`;
  if (!whole(cpusPerRank)) return `a rank cannot have ${cpusPerRank} CPUs`;
  if (gpus !== null && !whole(gpus.count, 0)) return `a step cannot have ${gpus.count} GPUs`;
  if (!whole(firstNode, 0)) return `there is no node ${firstNode}`;
  return null;
}

/** The first thing that the attempt does not have, whatever else runs in it. */
function whyNever(job: Job, attempt: Attempt, request: StepRequest): string {
  const id = displayId(job);
  const held = attempt.placement.nodes;
  const foreign = request.onlyNodes.find((name) => !held.some(({ node }) => node === name));
  if (foreign !== undefined) return `job ${id} has no place on node ${foreign}`;
  const nodes = mayUse(request, held);
  const wanted = request.nodes?.min ?? 1;
  if (nodes.length < wanted)
    return `the step wants ${counted(wanted, 'node')} and may use ${nodes.length} of job ${id}`;
  const cpus = nodes.reduce((sum, share) => sum + share.cpus, 0);
  const asked = request.ranks * request.cpusPerRank;
  if (request.overcommit !== true && asked > cpus)
    return `the step wants ${counted(asked, 'CPU')} and job ${id} has ${cpus} for it`;
  const devices = nodes.reduce((sum, share) => sum + share.devices.length, 0);
  if ((request.gpus?.count ?? 0) > devices)
    return `the step wants ${counted(request.gpus?.count ?? 0, 'GPU')} and job ${id} has ${devices} for it`;
  return `the nodes of job ${id} do not have room for the step as it is laid out`;
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

export function stopStep(turn: Turn, target: JobRef, by: string, n: number): JobId | Refusal {
  const found = find(turn, target);
  if (isRefusal(found)) return found;
  const { job, unsplitIndex } = found;
  if (!mayControl(job, by)) return notYours(job);
  const had = unsplitIndex === null ? (job.attempt?.stepCount ?? 0) : 0;
  if (!Number.isSafeInteger(n) || n < 0 || n >= had) return noSuchStep(nameOf(job, unsplitIndex), n);
  const step = stepOf(turn.state, job.attempt?.id ?? '', n);
  if (step !== null && step.stoppedBy === null)
    record(turn, { type: 'stepStopRequested', job: job.id, attempt: step.attempt, n, by });
  return job.id;
}

export function noSuchStep(job: string, n: number): Refusal {
  return refusal('noSuchStep', `job ${job} has no step ${n}`);
}

export function stepOf(state: YardState, attempt: AttemptId, n: number): Step | null {
  return state.steps.get(attempt)?.get(n) ?? null;
}

/** What was seen; late or again, it changes nothing. */
export function stepEnded(turn: Turn, seen: Extract<Observation, { type: 'stepEnded' }>): JobId | null {
  const { attempt, step: n, exit, usage } = seen;
  if (stepOf(turn.state, attempt, n) === null) return null;
  const job = jobOfAttempt(attempt);
  record(turn, { type: 'stepEnded', job, attempt, n, exit, usage });
  return job;
}

/** The attempt is over, so its steps are; how each of them went is known only as far as they were stopped. */
export function endStepsOf(turn: Turn, job: Job, attempt: Attempt): void {
  const signal = attempt.stop === null ? null : attempt.stop.step === 'kill' ? SIGKILL : SIGTERM;
  const exit: Exit = { code: null, signal, outOfMemory: false };
  for (const { n } of [...liveSteps(turn.state, attempt.id)])
    record(turn, { type: 'stepEnded', job: job.id, attempt: attempt.id, n, exit, usage: null });
}
