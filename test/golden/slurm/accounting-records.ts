/**
 * For goldens: what a yard would remember of the jobs in Slurm's own accounting listings, read back from what `sacct`
 * printed of them.
 */

import { readFileSync } from 'node:fs';
import { aSpec, aStep, aView } from '../../../src/dialects/fake-yard.ts';
import { expandHosts } from '../../../src/dialects/slurm/host-list.ts';
import {
  type Attempt,
  type Exit,
  type Job,
  newAttempt,
  newJob,
  type Outcome,
  type Placement,
} from '../../../src/model/job.ts';
import type { JobRecord } from '../../../src/model/query.ts';
import type { Step } from '../../../src/model/step.ts';

const MIB = 1024 ** 2;

export interface Capture {
  readonly command: string;
  readonly stdout: string;
  readonly exitCode: number;
}

export function capture(name: string): Capture {
  const text = readFileSync(new URL(`captures/${name}.txt`, import.meta.url), 'utf8');
  const [, command = '', stdout = '', exitCode = ''] =
    /^\$ (.*)\n([\s\S]*?)(?:--- stderr\n[\s\S]*?)?--- exit (\d+)\n$/.exec(text) ?? [];
  return { command, stdout, exitCode: Number(exitCode) };
}

type Line = Readonly<Record<string, string>>;

/** Lines of a listing with separators, by the headings of their columns. */
export function linesOf({ stdout }: Capture): readonly Line[] {
  const [heading = '', ...lines] = stdout.trimEnd().split('\n');
  const names = heading.split('|');
  return lines.map((line) =>
    Object.fromEntries(line.split('|').map((value, i) => [names[i] as string, value])),
  );
}

/** Everything in the listings named slurm-sacct-*. */
export function rememberedJobs(): readonly JobRecord[] {
  const jobs = linesOf(capture('slurm-sacct-long'));
  const usage = new Map(linesOf(capture('slurm-sacct-usage')).map((line) => [line.JobID as string, line]));
  const usual = capture('slurm-sacct-default')
    .stdout.trimEnd()
    .split('\n')
    .slice(2)
    .map((line) => line.trim().split(/\s+/));
  return jobs.map((line) => {
    const steps = usual.flatMap((words) => {
      const [id = '', name = ''] = words;
      if (!id.startsWith(`${line.JobID}.`)) return [];
      const [cpus = '', state = '', exit = ''] = words.slice(-3);
      return [{ id, name, cpus: Number(cpus), state, exit, usage: usage.get(id) as Line }];
    });
    return recordOf(line, steps);
  });
}

interface StepLine {
  readonly id: string;
  readonly name: string;
  readonly cpus: number;
  readonly state: string;
  readonly exit: string;
  readonly usage: Line;
}

function recordOf(line: Line, steps: readonly StepLine[]): JobRecord {
  const id = Number(line.JobIDRaw);
  const [, array, index] = /^(\d+)_(\d+)$/.exec(line.JobID as string) ?? [];
  const batch = steps.find((step) => step.id.endsWith('.batch'));
  const attempt = line.NodeList === 'None assigned' ? null : attemptOf(id, line, batch ?? null, steps);
  const job: Job = {
    ...newJob(id, specOf(line, batch === undefined && attempt !== null), 'pending', at(line.Submit)),
    phase: 'ended',
    eligibleAt: at(line.Eligible),
    element: array === undefined ? null : { array: Number(array), index: Number(index) },
    attempt,
    outcome: OUTCOMES[(line.State as string).split(' ')[0] as string] as Outcome,
    endedAt: at(line.End),
    endedBy: (line.State as string).includes(' by ') ? 'root' : null,
  };
  const numbered = attempt === null ? [] : steps.filter((step) => step !== batch);
  return {
    view: aView(job),
    attempts: attempt === null ? [] : [attempt],
    steps: numbered.map((step) => stepOf(step, attempt as Attempt)),
  };
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
};

function specOf(line: Line, isRunByCaller: boolean) {
  const tres = Object.fromEntries((line.ReqTRES as string).split(',').map((part) => part.split('=')));
  const limit = /^(\d+):(\d+):(\d+)$/.exec(line.Timelimit as string);
  const spec = aSpec({
    name: line.JobName as string,
    user: 'root',
    account: 'root',
    queue: line.Partition as string,
    workDir: line.WorkDir as string,
    limitMs: limit === null ? null : (Number(limit[1]) * 60 + Number(limit[2])) * 60_000,
  });
  const nodes = Number(tres.node);
  return {
    ...spec,
    program: { ...spec.program, spread: isRunByCaller ? ('caller' as const) : ('once' as const) },
    resources: {
      ...spec.resources,
      nodes: { min: nodes, max: nodes },
      ranks: Number(tres.cpu),
      memory: { bytes: bytesOf(tres.mem) / nodes, per: 'node' as const },
      gpus:
        tres['gres/gpu'] === undefined
          ? null
          : { count: Number(tres['gres/gpu']), per: 'job' as const, kind: null, shareMillis: 1000 },
    },
  };
}

function bytesOf(text: string): number {
  return Number.parseFloat(text) * (text.endsWith('G') ? 1024 * MIB : MIB);
}

function attemptOf(id: number, line: Line, batch: StepLine | null, steps: readonly StepLine[]): Attempt {
  const startedAt = at(line.Start);
  return {
    ...newAttempt(`${id}.1`, 1, placementOf(line, batch), startedAt),
    phase: 'ended',
    startedAt,
    clockFrom: startedAt,
    endedAt: at(line.End),
    stepCount: steps.length,
    exit: exitOf((batch?.exit ?? line.ExitCode) as string),
    usage: batch === null ? null : usageOf(batch, steps),
  };
}

/** The batch script has the CPUs of the first node, the other nodes have the rest. */
function placementOf(line: Line, batch: StepLine | null): Placement {
  const names = expandHosts(line.NodeList as string) as readonly string[];
  const tres = Object.fromEntries((line.AllocTRES as string).split(',').map((part) => part.split('=')));
  const first = batch?.cpus ?? Number(tres.cpu) / names.length;
  return {
    nodes: names.map((node, i) => ({
      node,
      ranks: 1,
      cpus: i === 0 ? first : (Number(tres.cpu) - first) / (names.length - 1),
      cpuIds: [],
      memoryBytes: bytesOf(tres.mem) / names.length,
      devices: Array.from({ length: i === 0 ? Number(tres['gres/gpu'] ?? 0) : 0 }, (_, index) => ({
        index,
        millis: 1000,
      })),
    })),
  };
}

/** What a whole run used is what its steps used. */
function usageOf(batch: StepLine, steps: readonly StepLine[]) {
  const sum = (name: string) => steps.reduce((total, { usage }) => total + cpuMsOf(usage[name]), 0);
  const peak = batch.usage.MaxRSS as string;
  return {
    peakMemoryBytes: peak === '' ? null : Number.parseFloat(peak) * 1024,
    cpuMs: sum('TotalCPU'),
    userCpuMs: sum('UserCPU'),
  };
}

/** It was printed without the part below a thousandth: say that was half of one. */
function cpuMsOf(text: string | undefined): number {
  return (Math.round(Number.parseFloat((text ?? '').slice(-6)) * 1000) || 0) + 0.5;
}

function stepOf(line: StepLine, { id, placement, startedAt, endedAt }: Attempt): Step {
  const userCpuMs = cpuMsOf(line.usage.UserCPU);
  return aStep({
    attempt: id,
    n: Number(line.id.slice(line.id.indexOf('.') + 1)),
    name: line.name,
    placement,
    startedAt: startedAt as number,
    endedAt,
    exit: exitOf(line.exit),
    usage: {
      userCpuMs,
      systemCpuMs: cpuMsOf(line.usage.TotalCPU) - userCpuMs,
      peakMemoryBytes: null,
      rankStatuses: [],
    },
  });
}

function exitOf(text: string): Exit {
  const [code, signal] = text.split(':').map(Number);
  return signal === 0
    ? { code: code as number, signal: null, outOfMemory: false }
    : { code: null, signal: signal as number, outOfMemory: false };
}

function at(text: string | undefined): number {
  return Date.parse(`${text}Z`);
}
