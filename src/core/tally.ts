/** Running totals by user, by queue, and by user within a queue or a QOS: what limits and fair share count with. */

import type { Attempt, Job, Placement } from '../model/job.ts';

export interface Tally {
  running: number;
  cpus: number;
  gpuMillis: number;
  /** Weight of what runs, and that weight times its start: together they give what it has used so far. */
  weight: number;
  weightedStart: number;
}

export interface Tallies {
  readonly byUser: Map<string, Tally>;
  readonly byQueue: Map<string, Tally>;
  readonly byQueueUser: Map<string, Tally>;
  readonly byQosUser: Map<string, Tally>;
  /** Ranks of all that runs with a layout. */
  readonly ranksByLayout: Map<string, number>;
  /** Jobs that have not ended, array elements not yet started included. */
  readonly unendedByUser: Map<string, number>;
  readonly unendedByQueue: Map<string, number>;
  readonly unendedByQosUser: Map<string, number>;
}

/** A GPU second weighs as much as so many CPU seconds. */
const GPU_WEIGHT = 8;

export const NOTHING: Readonly<Tally> = { running: 0, cpus: 0, gpuMillis: 0, weight: 0, weightedStart: 0 };

export function newTallies(): Tallies {
  return {
    byUser: new Map(),
    byQueue: new Map(),
    byQueueUser: new Map(),
    byQosUser: new Map(),
    ranksByLayout: new Map(),
    unendedByUser: new Map(),
    unendedByQueue: new Map(),
    unendedByQosUser: new Map(),
  };
}

export function queueUser(queue: string, user: string): string {
  return JSON.stringify([queue, user]);
}

export function qosUser(qos: string | null, user: string): string {
  return JSON.stringify([qos, user]);
}

export function cpusOf({ nodes }: Placement): number {
  return nodes.reduce((sum, share) => sum + share.cpus, 0);
}

export function ranksOf({ nodes }: Placement): number {
  return nodes.reduce((sum, share) => sum + share.ranks, 0);
}

export function gpuMillisOf({ nodes }: Placement): number {
  let sum = 0;
  for (const share of nodes) for (const device of share.devices) sum += device.millis;
  return sum;
}

function weightOf({ placement }: Attempt): number {
  return cpusOf(placement) + (GPU_WEIGHT * gpuMillisOf(placement)) / 1000;
}

/** What it has used by a time, in the form that can be summed up: weight × time - weightedStart. */
function useOf(attempt: Attempt): Pick<Tally, 'weight' | 'weightedStart'> {
  const { placement, assignedAt, cpusLentAt, cpusLentMs = 0 } = attempt;
  const cpus = cpusOf(placement);
  const weight = weightOf(attempt);
  const weightedStart = weight * assignedAt + cpus * cpusLentMs;
  if (cpusLentAt == null) return { weight, weightedStart };
  return { weight: weight - cpus, weightedStart: weightedStart - cpus * cpusLentAt };
}

/** What it has used by then: the CPUs that it lent were not its own meanwhile. */
export function usedBy(attempt: Attempt, at: number): number {
  const { placement, assignedAt, cpusLentAt, cpusLentMs = 0 } = attempt;
  const lentMs = cpusLentMs + (cpusLentAt == null ? 0 : at - cpusLentAt);
  return Math.max(0, weightOf(attempt) * (at - assignedAt) - cpusOf(placement) * lentMs);
}

/** Adds (sign 1) or removes (sign -1) what one attempt counts for. */
export function tallyAttempt(tallies: Tallies, job: Job, attempt: Attempt, sign: 1 | -1): void {
  const { user, queue, qos } = job.spec;
  const cpus = sign * cpusOf(attempt.placement);
  const gpuMillis = sign * gpuMillisOf(attempt.placement);
  const { weight, weightedStart } = useOf(attempt);
  const change = {
    running: sign,
    cpus,
    gpuMillis,
    weight: sign * weight,
    weightedStart: sign * weightedStart,
  };
  addTo(tallies.byUser, user, change);
  addTo(tallies.byQueue, queue, change);
  addTo(tallies.byQueueUser, queueUser(queue, user), change);
  addTo(tallies.byQosUser, qosUser(qos, user), change);
  const { layout } = job.spec.resources;
  if (layout !== undefined) bump(tallies.ranksByLayout, layout, sign * ranksOf(attempt.placement));
}

export function countUnended(tallies: Tallies, job: Job, change: number): void {
  bump(tallies.unendedByUser, job.spec.user, change);
  bump(tallies.unendedByQueue, job.spec.queue, change);
  bump(tallies.unendedByQosUser, qosUser(job.spec.qos, job.spec.user), change);
}

function addTo(map: Map<string, Tally>, key: string, change: Tally): void {
  const tally = map.get(key);
  if (tally === undefined) {
    map.set(key, { ...change });
    return;
  }
  tally.running += change.running;
  if (tally.running === 0) {
    map.delete(key);
    return;
  }
  tally.cpus += change.cpus;
  tally.gpuMillis += change.gpuMillis;
  tally.weight += change.weight;
  tally.weightedStart += change.weightedStart;
}

function bump(map: Map<string, number>, key: string, change: number): void {
  const next = (map.get(key) ?? 0) + change;
  if (next === 0) map.delete(key);
  else map.set(key, next);
}
