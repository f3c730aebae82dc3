/**
 * The steps of one run, as Slurm's database would have them: the batch script, and each `srun` in it. The batch
 * script's processor time is what the run used in all, less what its steps used.
 */

import type { Attempt, Exit, Job, Placement } from '../../../model/job.ts';
import type { JobRecord } from '../../../model/query.ts';
import type { Step, StepUsage } from '../../../model/step.ts';
import { foldHosts } from '../host-list.ts';
import { type ExitPair, exitOf, hasBatchStep } from '../job-facts.ts';
import { distributionName, parseDistribution } from '../srun/distribution.ts';
import { allocatedTres, type Tres } from '../tres.ts';

export interface StepRun {
  /** Null: the batch script. */
  readonly n: number | null;
  readonly name: string;
  readonly state: string;
  readonly stoppedBy: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly elapsedSeconds: number;
  readonly suspendedSeconds: number;
  readonly tasks: number;
  readonly nodes: readonly string[];
  readonly nodeList: string;
  readonly allocated: Tres;
  readonly exit: ExitPair;
  readonly cpu: CpuTime | null;
  readonly peakMemoryBytes: number | null;
  /** How its tasks were dealt out: `Block`, `Cyclic`. */
  readonly layout: string;
  readonly submitLine: string;
}

export interface CpuTime {
  readonly totalMs: number;
  /** Null: only the sum is known. */
  readonly userMs: number | null;
  readonly systemMs: number | null;
}

export function stepName({ n }: StepRun): string {
  return n === null ? 'batch' : `${n}`;
}

export function stepRuns(record: JobRecord, attempt: Attempt, now: number): readonly StepRun[] {
  const { job } = record.view;
  const own = record.steps.filter((step) => step.attempt === attempt.id);
  const steps = own.map((step) => stepRun(step, attempt, now));
  if (!hasBatchStep(job) || attempt.startedAt === null) return steps;
  return [batchRun(job, attempt, attempt.startedAt, own, now), ...steps];
}

function batchRun(
  job: Job,
  attempt: Attempt,
  startedAt: number,
  steps: readonly Step[],
  now: number,
): StepRun {
  const share = attempt.placement.nodes[0];
  const placement = { nodes: share === undefined ? [] : [share] };
  const nodes = nodesOf(placement);
  const until = attempt.endedAt ?? attempt.suspendedAt ?? now;
  const suspended = attempt.suspendedAt === null ? 0 : (attempt.endedAt ?? now) - attempt.suspendedAt;
  return {
    n: null,
    name: 'batch',
    state: attempt.endedAt === null ? liveState(attempt) : batchState(attempt),
    stoppedBy: null,
    startedAt,
    endedAt: attempt.endedAt,
    elapsedSeconds: secondsBetween(attempt.clockFrom ?? startedAt, until),
    suspendedSeconds: Math.floor((attempt.suspendedMs + suspended) / 1000),
    tasks: 1,
    nodes,
    nodeList: foldHosts(nodes),
    allocated: allocatedTres(placement),
    exit: exitPair(attempt.exit) ?? exitOf(job, attempt),
    cpu: batchCpu(attempt, steps),
    // What was measured of an attempt with steps is the memory of all of them together.
    peakMemoryBytes: steps.length > 0 ? null : (attempt.usage?.peakMemoryBytes ?? null),
    layout: 'Unknown',
    submitLine: '',
  };
}

function stepRun(step: Step, attempt: Attempt, now: number): StepRun {
  const nodes = nodesOf(step.placement);
  return {
    n: step.n,
    name: step.name,
    state: step.endedAt === null ? liveState(attempt) : endState(step.exit),
    stoppedBy: step.stoppedBy,
    startedAt: step.startedAt,
    endedAt: step.endedAt,
    elapsedSeconds: secondsBetween(step.startedAt, step.endedAt ?? now),
    suspendedSeconds: 0,
    tasks: tasksOf(step),
    nodes,
    nodeList: foldHosts(nodes),
    allocated: allocatedTres(step.placement),
    exit: exitPair(step.exit) ?? NOTHING,
    cpu: step.usage === null ? null : stepCpu(step.usage),
    peakMemoryBytes: step.usage?.peakMemoryBytes ?? null,
    layout: layoutOf(step),
    submitLine: step.words?.submitLine ?? '',
  };
}

function tasksOf({ placement }: Step): number {
  return placement.nodes.reduce((count, share) => count + share.ranks, 0);
}

function layoutOf(step: Step): string {
  const distribution = parseDistribution(step.words?.distribution ?? '*', null) ?? { kind: 'default' };
  const name = distributionName(distribution, tasksOf(step), step.placement.nodes.length);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function liveState({ suspendedAt }: Attempt): string {
  return suspendedAt === null ? 'RUNNING' : 'SUSPENDED';
}

function batchState(attempt: Attempt): string {
  return attempt.phase === 'lost' ? 'NODE_FAIL' : endState(attempt.exit);
}

function endState(exit: Exit | null): string {
  if (exit === null) return 'CANCELLED';
  if (exit.outOfMemory) return 'OUT_OF_MEMORY';
  if (exit.code === null) return 'CANCELLED';
  return exit.code === 0 ? 'COMPLETED' : 'FAILED';
}

const NOTHING: ExitPair = { code: 0, signal: 0 };

/** Null when it never ran so far as to have one. */
function exitPair(exit: Exit | null): ExitPair | null {
  if (exit === null) return NOTHING;
  if (exit.outOfMemory) return { code: 0, signal: 125 };
  if (exit.code === null && exit.signal === null) return null;
  return { code: exit.code ?? 0, signal: exit.signal ?? 0 };
}

function nodesOf({ nodes }: Placement): readonly string[] {
  return nodes.map((share) => share.node);
}

function stepCpu({ userCpuMs, systemCpuMs }: StepUsage): CpuTime {
  return { totalMs: userCpuMs + systemCpuMs, userMs: userCpuMs, systemMs: systemCpuMs };
}

function batchCpu({ usage }: Attempt, steps: readonly Step[]): CpuTime | null {
  if (usage === null || usage.cpuMs === null) return null;
  const used = steps.flatMap((step) => (step.usage === null ? [] : [stepCpu(step.usage)]));
  const totalMs = Math.max(0, usage.cpuMs - sum(used.map((cpu) => cpu.totalMs)));
  const userMs = usage.userCpuMs ?? null;
  if (userMs === null) return { totalMs, userMs: null, systemMs: null };
  const ownUserMs = Math.min(totalMs, Math.max(0, userMs - sum(used.map((cpu) => cpu.userMs ?? 0))));
  return { totalMs, userMs: ownUserMs, systemMs: totalMs - ownUserMs };
}

function secondsBetween(from: number, until: number): number {
  return Math.max(0, Math.floor(until / 1000) - Math.floor(from / 1000));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
