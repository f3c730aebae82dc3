/** What the fields of `sacct` say of a run and of a step. Where nobody here knows, they are empty as in the original. */

import type { JobId } from '../../../model/ids.ts';
import type { Job } from '../../../model/job.ts';
import type { Policy } from '../../../model/policy.ts';
import type { UserView } from '../../../model/query.ts';
import { lastOf } from '../../../model/ranges.ts';
import { amountText, type Conversion, cpuText } from '../amounts.ts';
import { fullClockText } from '../durations.ts';
import type { ExitPair } from '../job-facts.ts';
import { qosOf } from '../job-facts.ts';
import { reasonWord } from '../reasons.ts';
import type { Tres } from '../tres.ts';
import type { Run } from './runs.ts';
import { type CpuTime, type StepRun, stepName } from './step-runs.ts';

/** What one answer of `sacct` knows besides its runs. */
export interface Context {
  readonly now: number;
  readonly users: ReadonlyMap<string, UserView>;
  readonly policy: Policy;
  readonly cluster: string;
  readonly conversion: Conversion;
  /** A point in time as the caller wants it written. */
  readonly moment: (at: number) => string;
}

/** One line: a run, or one of its steps. */
export interface Row {
  readonly run: Run;
  readonly step: StepRun | null;
  readonly context: Context;
}

export function idOf({ run, step }: Row): string {
  return step === null ? run.displayId : `${run.displayId}.${stepName(step)}`;
}

export function rawIdOf({ run, step }: Row): string {
  const id = rawJobIdOf(run.job);
  return step === null ? `${id}` : `${id}.${stepName(step)}`;
}

/** In Slurm the last element of an array keeps the array's number, and there are tools that look for it. */
function rawJobIdOf({ id, element, spec }: Job): JobId {
  const last = spec.array === null ? null : lastOf(spec.array.indices);
  return element !== null && element.index === last ? element.array : id;
}

/** `CANCELLED by 1000`, where it is known who did it. */
export function stateText({ run, step, context }: Row): string {
  const state = step?.state ?? run.state;
  const by = step === null ? run.endedBy : step.stoppedBy;
  const uid = by === null ? undefined : context.users.get(by)?.uid;
  return state === 'CANCELLED' && uid !== undefined ? `CANCELLED by ${uid}` : state;
}

export function exitText({ code, signal }: ExitPair): string {
  return `${code}:${signal}`;
}

/** A run that was cancelled before it began has no start, which is not the same as one not known yet. */
export function startText({ run, step, context }: Row): string {
  const at = step?.startedAt ?? run.startedAt;
  if (at !== null) return context.moment(at);
  if (run.endedAt === null) return 'Unknown';
  return run.state === 'CANCELLED' ? 'None' : context.moment(run.endedAt);
}

export function momentOrUnknown(at: number | null, context: Context): string {
  return at === null ? 'Unknown' : context.moment(at);
}

export function clock(seconds: number): string {
  return fullClockText(seconds * 1000);
}

/** How many CPUs count: those it has, or those it would have. */
export function cpusOf({ run, step }: Row): number {
  return (step?.allocated ?? run.allocated ?? run.requested).cpus;
}

export function nodesOf({ run, step }: Row): number {
  return (step?.allocated ?? run.allocated ?? run.requested).nodes;
}

export function elapsedOf({ run, step }: Row): number {
  return (step ?? run).elapsedSeconds;
}

/** `billing=1,cpu=1,gres/gpu=2,mem=200M,node=1`: by name, and a step is not billed. */
export function tresListText(tres: Tres, isBilled: boolean, conversion: Conversion): string {
  const { cpus, memoryBytes, nodes, gpus } = tres;
  const parts = [`cpu=${cpus}`];
  if (isBilled) parts.unshift(`billing=${cpus}`);
  if (gpus > 0) parts.push(`gres/gpu=${gpus}`);
  if (memoryBytes !== null) parts.push(`mem=${memoryText(memoryBytes, conversion)}`);
  parts.push(`node=${nodes}`);
  return parts.join(',');
}

/** Memory that was asked for: it is counted in megabytes. */
export function memoryText(bytes: number, conversion: Conversion): string {
  return amountText(Math.round(bytes / 1024 ** 2), 'M', conversion);
}

/** Memory that was used: it is counted in bytes. */
export function peakText({ step, context }: Row): string {
  const bytes = step?.peakMemoryBytes ?? null;
  return bytes === null ? '' : amountText(bytes, '', context.conversion);
}

/** Whether somebody looked while it ran; what is over too soon for that has no averages. */
export function isMeasured(
  step: StepRun | null,
): step is StepRun & { readonly cpu: CpuTime; readonly peakMemoryBytes: number } {
  return step !== null && step.cpu !== null && step.peakMemoryBytes !== null;
}

/** What is true of the one task that a step has; of several nobody knows which. */
export function ofOnlyTask({ step }: Row, text: string): string {
  return step?.tasks === 1 && isMeasured(step) ? text : '';
}

export function cpuOf({ run, step }: Row): CpuTime | null {
  if (step !== null) return step.cpu;
  const known = run.steps.flatMap(({ cpu }) => (cpu === null ? [] : [cpu]));
  if (known.length === 0) return null;
  return {
    totalMs: sum(known.map(({ totalMs }) => totalMs)),
    userMs: sumIfAllKnown(known.map(({ userMs }) => userMs)),
    systemMs: sumIfAllKnown(known.map(({ systemMs }) => systemMs)),
  };
}

/** What nobody has measured counts as nothing, as in the original; a part that cannot be told apart is left out. */
export function cpuPart(row: Row, part: keyof CpuTime): string {
  const cpu = cpuOf(row);
  if (cpu === null) return cpuText(0);
  const ms = cpu[part];
  return ms === null ? '' : cpuText(ms);
}

export function averageCpu({ step }: Row): string {
  return isMeasured(step) ? fullClockText(step.cpu.totalMs / Math.max(1, step.tasks)) : '';
}

/** `cpu=00:00:01,mem=2916K`: what of a step's use is known. */
export function usageText(row: Row, of: 'average' | 'one' | 'all'): string {
  const { step } = row;
  if (!isMeasured(step) || (of === 'one' && step.tasks > 1)) return '';
  const memory = step.tasks === 1 ? `,mem=${peakText(row)}` : '';
  return `cpu=${of === 'average' ? averageCpu(row) : fullClockText(step.cpu.totalMs)}${memory}`;
}

/** Where, or by which task, that use was made; of one task it is known. */
export function usageOwnerText(row: Row, owner: string): string {
  return ofOnlyTask(row, `cpu=${owner},mem=${owner}`);
}

/** Nobody meters energy: Slurm then has zeros, but for a job with nothing except its batch script. */
export function energyText({ run, step }: Row): string {
  if (step !== null) return '0';
  const onlyBatch = run.steps.length > 0 && run.steps.every(({ n }) => n === null);
  return onlyBatch ? '' : '0';
}

/** Whether it started in the turn in which it was submitted, or when its time came. */
export function schedulerOf({ attempt, job }: Run): 'SchedSubmit' | 'SchedMain' | null {
  if (attempt === null) return null;
  return attempt.assignedAt === job.submittedAt ? 'SchedSubmit' : 'SchedMain';
}

export function flagsText({ run }: Row): string {
  return [schedulerOf(run), 'StartRecieved'].filter((flag) => flag !== null).join(',');
}

export function priorityText({ run }: Row): string {
  const { job, record } = run;
  if (job.phase === 'held') return '0';
  const { priority } = record.view;
  return priority === null || run.attempt !== null ? '' : `${Math.max(0, Math.round(priority))}`;
}

export function qosNumber({ job }: Run, policy: Policy): string {
  const name = qosOf(job, policy);
  const at = policy.qos.findIndex((qos) => qos.name === name);
  return at === -1 ? '' : `${at + 1}`;
}

/** What kept it from running, other than that others were before it or there was no room. */
export function waitReason(run: Run): string {
  if (run.attempt !== null) return 'None';
  if (run.endedAt !== null) return lastReason(run);
  const word = reasonWord(run.record.view);
  return word === 'Priority' || word === 'Resources' ? 'None' : word;
}

/** What a job waited for that ended without having begun. */
function lastReason({ job, eligibleAt, endedAt }: Run): string {
  if (job.hold !== null) return job.hold.by === 'user' ? 'JobHeldUser' : 'JobHeldAdmin';
  if (job.outcome === 'dependencyFailed') return 'Dependency';
  if (eligibleAt === null) return job.spec.dependencies === null ? 'None' : 'Dependency';
  return eligibleAt > (endedAt ?? 0) ? 'BeginTime' : 'None';
}

/** From when it could have run to when it did, or now. Null: it could not yet. */
export function waitedSeconds({ run, context }: Row): number | null {
  if (run.eligibleAt === null) return 0;
  const until = run.startedAt ?? run.endedAt ?? context.now;
  return until < run.eligibleAt ? null : Math.floor(until / 1000) - Math.floor(run.eligibleAt / 1000);
}

/** Before it starts, a job without a limit may still get its partition's. */
export function limitText({ job, attempt }: Run, written: (limitMs: number) => string): string {
  if (job.spec.limitMs !== null) return written(job.spec.limitMs);
  return attempt === null ? 'Partition_Limit' : 'UNLIMITED';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function sumIfAllKnown(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((number) => number !== null);
  return known.length === numbers.length ? sum(known) : null;
}
