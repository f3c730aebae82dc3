/** What a simulation came to: how much was done, how long jobs waited, how busy the machines were. */

import type { Event } from '../model/event.ts';
import type { JobId } from '../model/ids.ts';
import type { Hold, Job, Outcome } from '../model/job.ts';
import type { Node } from '../model/node.ts';
import type { SimulatedEngine } from './engine.ts';

export interface Report {
  readonly seed: number;
  /** Submissions that were taken; elements of arrays that started are jobs of their own. */
  readonly jobs: number;
  readonly refusals: number;
  readonly attempts: number;
  readonly steps: number;
  /** How often an attempt was suspended or resumed. */
  readonly suspensions: number;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly simulatedMs: number;
  readonly turns: number;
  readonly events: number;
  readonly faults: FaultCounts;
  readonly rarities: Rarities;
  /** How often a job was held because its runs only asked for others, and soon. */
  readonly shortRunHolds: number;
  readonly jobsPerHour: number;
  readonly waitingMs: Spread;
  /** Parts of all CPUs and of all GPUs that were in use, over the whole time. */
  readonly cpusBusy: number;
  readonly gpusBusy: number;
}

export interface FaultCounts {
  crashes: number;
  failedCommits: number;
  lostNodes: number;
  clockJumps: number;
  lostReports: number;
  repeatedReports: number;
  lateReports: number;
}

/** How often there was something that a simulation could easily never come to. */
export interface Rarities {
  /** Starts in another queue than the one that a job was in. */
  moves: number;
  /** Jobs that were held in error. */
  errors: number;
  /** Attempts that were told that they would be suspended. */
  announcements: number;
  /** Queues that were disabled, suspended, or neither any more. */
  queueChanges: number;
  killsAtOnce: number;
  /** Jobs that were suspended to make room, and those that had their CPUs back. */
  loans: number;
  returns: number;
  checkpoints: number;
  /** Attempts whose processes had gone before what they left was safe. */
  syncs: number;
  /** Runs that their time limit ended and that others followed. */
  links: number;
  /** Jobs that were held because they got nowhere. */
  standstills: number;
  troubles: number;
  /** Attempts that wrote too much to their scratch directory. */
  overflows: number;
}

export function countRarity(rarities: Rarities, event: Event): void {
  if (event.type === 'attemptAssigned' && event.queue !== undefined) rarities.moves++;
  if (event.type === 'jobRequeued' && event.hold?.isError === true) rarities.errors++;
  if (event.type === 'suspendAnnounced') rarities.announcements++;
  if (event.type === 'queueChanged') rarities.queueChanges++;
  if (event.type === 'attemptSuspended' && event.cause === 'preemption') rarities.loans++;
  if (event.type === 'attemptResumed' && event.cause === 'preemption') rarities.returns++;
  if (event.type === 'stopRequested' && event.isKill === true) rarities.killsAtOnce++;
  if (event.type === 'checkpointKept') rarities.checkpoints++;
  if (event.type === 'attemptSyncing') rarities.syncs++;
  if (event.type === 'jobRequeued' && event.why.startsWith('its time limit came')) rarities.links++;
  if (event.type === 'jobRequeued' && event.hold !== null) countHold(rarities, event.hold);
  if (event.type === 'checkpointTroubled' && event.trouble !== null) rarities.troubles++;
  if (event.type === 'stopRequested' && event.cause === 'scratch') rarities.overflows++;
}

export function isShortRunHold(event: Event): boolean {
  return event.type === 'jobRequeued' && isForShortRuns(event.hold?.reason ?? '');
}

function isForShortRuns(reason: string): boolean {
  return reason.includes(' of starting: ');
}

function countHold(rarities: Rarities, { reason }: Hold): void {
  if (reason?.includes(' in a row ') && !isForShortRuns(reason)) rarities.standstills++;
}

export interface Spread {
  readonly mean: number;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

export interface Counted {
  readonly seed: number;
  readonly simulatedMs: number;
  readonly refusals: number;
  readonly turns: number;
  readonly events: number;
  readonly faults: FaultCounts;
  readonly rarities: Rarities;
  /** How often a job was held because its runs only asked for others, and soon. */
  readonly shortRunHolds: number;
}

export function reportOf(
  counted: Counted,
  jobs: ReadonlyMap<JobId, Job>,
  nodes: readonly Node[],
  { runs }: SimulatedEngine,
): Report {
  const outcomes: Partial<Record<Outcome, number>> = {};
  let completed = 0;
  let submitted = 0;
  for (const { outcome, array, element } of jobs.values()) {
    if (element === null) submitted++;
    if (array !== null || outcome === null) continue;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome === 'completed') completed++;
  }
  let cpuMs = 0;
  let gpuMs = 0;
  let steps = 0;
  let suspensions = 0;
  for (const { placement, startedAtMs, endedAtMs, ranMs, ...run } of runs.values()) {
    steps += run.steps.size;
    suspensions += run.suspensions;
    if (startedAtMs === null || endedAtMs === null) continue;
    for (const share of placement.nodes) {
      cpuMs += share.cpus * ranMs;
      for (const { millis } of share.devices) gpuMs += (millis / 1000) * (endedAtMs - startedAtMs);
    }
  }
  const cpus = nodes.reduce((sum, node) => sum + node.cpus, 0);
  const gpus = nodes.reduce((sum, node) => sum + node.devices.length, 0);
  const { simulatedMs } = counted;
  return {
    ...counted,
    jobs: submitted,
    attempts: runs.size,
    steps,
    suspensions,
    outcomes,
    jobsPerHour: (completed * 3_600_000) / simulatedMs,
    waitingMs: spreadOf(waits(jobs)),
    cpusBusy: cpuMs / (cpus * simulatedMs),
    gpusBusy: gpus === 0 ? 0 : gpuMs / (gpus * simulatedMs),
  };
}

/** From the time it could have gone to its first start, by the yard's own clock. */
function waits(jobs: ReadonlyMap<JobId, Job>): number[] {
  const all: number[] = [];
  for (const { array, attempt, eligibleAt } of jobs.values()) {
    if (array === null && attempt !== null && attempt.n === 1 && eligibleAt !== null)
      all.push(Math.max(0, attempt.assignedAt - eligibleAt));
  }
  return all.sort((a, b) => a - b);
}

function spreadOf(sorted: readonly number[]): Spread {
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  const sum = sorted.reduce((total, one) => total + one, 0);
  return { mean: sorted.length === 0 ? 0 : sum / sorted.length, median: at(0.5), p95: at(0.95), max: at(1) };
}
