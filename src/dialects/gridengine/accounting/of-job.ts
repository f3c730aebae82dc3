/**
 * What accounting says of one run of a job. Who else was needed to know it (the owner's group) says so; nothing here
 * knows where records are kept or how they are shown.
 */

import type { Attempt, Job } from '../../../model/job.ts';
import { GRID_ENGINE, wordOf } from '../words.ts';
import { categoryOf } from './category.ts';
import { FAILED } from './failures.ts';
import type { AccountingRecord } from './record.ts';

export interface AccountingSurroundings {
  /** The name of the owner's group. */
  readonly group: string;
}

/** Null while the run goes on: there is no record of it before it has ended. */
export function recordOf(
  job: Job,
  attempt: Attempt,
  { group }: AccountingSurroundings,
): AccountingRecord | null {
  if (attempt.phase !== 'ended' && attempt.phase !== 'lost') return null;
  const { spec, element } = job;
  const failed = failedOf(job, attempt);
  const times = hasNeverRun(failed) ? NEVER : timesOf(attempt);
  const peakBytes = attempt.usage?.peakMemoryBytes ?? 0;
  const cpu = (attempt.usage?.cpuMs ?? 0) / 1000;
  const utime = (attempt.usage?.userCpuMs ?? attempt.usage?.cpuMs ?? 0) / 1000;
  return {
    qname: spec.queue,
    hostname: attempt.placement.nodes[0]?.node ?? 'UNKNOWN',
    group,
    owner: spec.user,
    jobname: spec.name,
    jobnumber: element?.array ?? job.id,
    account: accountOf(job),
    priority: 0,
    qsubTime: inSeconds(job.submittedAt),
    ...times,
    failed,
    exitStatus: exitStatusOf(attempt, failed),
    wallclock: times.endTime - times.startTime,
    utime,
    stime: Math.max(0, cpu - utime),
    maxrss: Math.round(peakBytes / 1024),
    ...UNCOUNTED,
    project: wordOf(job, 'project') ?? 'NONE',
    department: 'defaultdepartment',
    grantedPe: wordOf(job, 'pe') ?? 'NONE',
    slots: slotsOf(job, attempt),
    taskid: element?.index ?? 0,
    cpu,
    category: categoryOf(job),
    peTaskid: 'NONE',
    maxvmem: peakBytes,
  };
}

/** What nobody measures here. */
const UNCOUNTED = {
  ixrss: 0,
  ismrss: 0,
  idrss: 0,
  isrss: 0,
  minflt: 0,
  majflt: 0,
  nswap: 0,
  inblock: 0,
  oublock: 0,
  msgsnd: 0,
  msgrcv: 0,
  nsignals: 0,
  nvcsw: 0,
  nivcsw: 0,
  mem: 0,
  io: 0,
  iow: 0,
  arid: 0,
  arSubTime: 0,
} as const;

const NEVER = { startTime: 0, endTime: 0 };

function timesOf({ startedAt, assignedAt, endedAt }: Attempt): {
  readonly startTime: number;
  readonly endTime: number;
} {
  const startTime = inSeconds(startedAt ?? assignedAt);
  return { startTime, endTime: Math.max(startTime, inSeconds(endedAt ?? assignedAt)) };
}

function inSeconds(at: number): number {
  return Math.floor(at / 1000);
}

function failedOf({ spec }: Job, { phase, stop, exit, fault }: Attempt): number {
  if (stop?.cause === 'requeued' || stop?.cause === 'requeuedHeld' || stop?.cause === 'preempted')
    return FAILED.rescheduling;
  if (stop?.cause === 'timeLimit' || stop?.cause === 'memory' || exit?.outOfMemory)
    return FAILED.enforcedLimit;
  if (fault !== null && exit?.signal == null) return failedStart(fault);
  if (phase === 'lost') return FAILED.afterJob;
  const code = exit?.code ?? null;
  if (code !== null && spec.aftermath?.againExitCodes.includes(code)) return FAILED.rescheduling;
  if (code !== null && spec.aftermath?.errorExitCodes.includes(code)) return FAILED.applicationError;
  return exit?.signal == null ? FAILED.no : FAILED.afterJob;
}

/** By the words of the sentence: a fault is told to people, and nothing else is kept of it. */
function failedStart(fault: string): number {
  if (/working directory|can't chdir/i.test(fault)) return FAILED.workingDirectory;
  if (/^cannot execute |\bshell\b|interpreter/i.test(fault)) return FAILED.searchingShell;
  if (/(?:output|error|input) file|standard input|can't (?:open|stat)/i.test(fault))
    return FAILED.openingFile;
  return FAILED.beforeJob;
}

function hasNeverRun(failed: number): boolean {
  return failed > FAILED.no && failed <= FAILED.workingDirectory && failed !== FAILED.rescheduling;
}

/** As a shell counts it. One that is started again is not blamed for the signal that made room for that. */
function exitStatusOf({ exit, stop }: Attempt, failed: number): number {
  if (hasNeverRun(failed) || exit === null) return 0;
  if (failed === FAILED.rescheduling && stop !== null) return 0;
  return exit.signal === null ? (exit.code ?? 0) : 128 + exit.signal;
}

/** Ranks are slots; a job that was said in other words has as many as it has CPUs, and one at least. */
function slotsOf({ spec }: Job, { placement }: Attempt): number {
  const isOurs = spec.origin.dialect === GRID_ENGINE;
  return placement.nodes.reduce((sum, { ranks, cpus }) => sum + (isOurs ? ranks : Math.max(cpus, 1)), 0);
}

function accountOf(job: Job): string {
  if (job.spec.origin.dialect === GRID_ENGINE) return wordOf(job, 'account') ?? 'sge';
  return job.spec.account ?? 'sge';
}
