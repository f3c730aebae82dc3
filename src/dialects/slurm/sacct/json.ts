/** `sacct --json` and `--yaml`: every run with its steps, in the shape of Slurm 22.05. */

import { countOf, indicesOf, lastOf, type RangeSet } from '../../../model/ranges.ts';
import { signalDescription } from '../../text/signal-descriptions.ts';
import { SLURM_VERSION } from '../command.ts';
import { accountOf, type ExitPair, qosOf } from '../job-facts.ts';
import type { Value } from '../listing/structured.ts';
import type { Tres } from '../tres.ts';
import { wordOf } from '../words.ts';
import type { Run } from './runs.ts';
import type { CpuTime, StepRun } from './step-runs.ts';
import { type Context, cpuOf, isMeasured, priorityText, schedulerOf, waitReason } from './values.ts';

type Members = { readonly [name: string]: Value };

/** What stands around the runs. */
export function aroundRuns(areThereAny: boolean): Value {
  const [major = 0, minor = 0, micro = 0] = SLURM_VERSION.split('.').map(Number);
  return {
    meta: {
      plugin: { type: 'openapi/dbv0.0.38', name: 'Slurm OpenAPI DB v0.0.38' },
      Slurm: { version: { major, micro, minor }, release: SLURM_VERSION },
    },
    errors: areThereAny ? [] : [NOTHING_FOUND],
    jobs: [],
  };
}

const NOTHING_FOUND: Value = {
  description: 'Nothing found',
  error_number: 9003,
  error: 'Nothing found with query',
  source: 'slurmdb_jobs_get',
};

export function runValue(run: Run, context: Context): Value {
  const { job } = run;
  const { spec } = job;
  const account = accountOf(job);
  return {
    account,
    comment: { administrator: wordOf(job, 'adminComment'), job: spec.comment, system: null },
    allocation_nodes: run.allocated?.nodes ?? 0,
    array: arrayValue(run),
    association: { account, cluster: context.cluster, partition: null, user: spec.user },
    cluster: context.cluster,
    constraints: spec.resources.constraint ?? '',
    container: null,
    derived_exit_code: exitValue(run.derivedExit),
    time: runTimes(run, context),
    exit_code: exitValue(run.exit),
    flags: flagsOf(run),
    group: context.users.get(spec.user)?.group ?? '',
    het: { job_id: 0, job_offset: null },
    job_id: job.id,
    name: spec.name,
    mcs: { label: wordOf(job, 'mcsLabel') ?? '' },
    nodes: run.nodeList === '' ? 'None assigned' : run.nodeList,
    partition: spec.queue,
    priority: numberOrNull(priorityText({ run, step: null, context })),
    qos: qosOf(job, context.policy) ?? '',
    required: { CPUs: run.requested.cpus, memory: megabytes(run.requested.memoryBytes) },
    kill_request_user: run.state === 'CANCELLED' ? run.endedBy : null,
    reservation: { id: 0, name: 0 },
    state: { current: run.state, reason: waitReason(run) },
    steps: run.steps.map((step) => stepValue(run, step)),
    tres: {
      allocated: run.allocated === null ? [] : tresValue(run.allocated, true),
      requested: tresValue(run.requested, true),
    },
    user: spec.user,
    wckey: { wckey: wordOf(job, 'wckey') ?? '', flags: [] },
    working_directory: spec.workDir,
  };
}

function arrayValue({ array }: Run): Value {
  return {
    job_id: array?.jobId ?? 0,
    limits: { max: { running: { tasks: array?.throttle ?? 0 } } },
    task: array === null || countOf(array.indices) === 0 ? null : bitmapText(array.indices),
    task_id: array?.index ?? null,
  };
}

/** `0x2A8` for 3, 5, 7 and 9: a bit for each element. */
function bitmapText(indices: RangeSet): string {
  const digits = Array.from({ length: Math.floor((lastOf(indices) ?? 0) / 4) + 1 }, () => 0);
  for (const index of indicesOf(indices)) {
    const at = digits.length - 1 - Math.floor(index / 4);
    digits[at] = (digits[at] as number) | (1 << (index % 4));
  }
  return `0x${digits.map((digit) => digit.toString(16).toUpperCase()).join('')}`;
}

function runTimes(run: Run, context: Context): Value {
  const { limitMs } = run.job.spec;
  const neverBegan = run.startedAt === null && run.endedAt !== null;
  return {
    elapsed: run.elapsedSeconds,
    eligible: seconds(run.eligibleAt),
    end: seconds(run.endedAt),
    start: neverBegan ? null : seconds(run.startedAt),
    submission: seconds(run.submittedAt),
    suspended: run.suspendedSeconds,
    ...cpuValues(cpuOf({ run, step: null, context }), {
      limit: limitMs === null ? null : Math.ceil(limitMs / 60_000),
    }),
  };
}

/** What is between system and total differs between a job and a step. */
function cpuValues(cpu: CpuTime | null, between: Members): Members {
  return {
    system: cpuValue(cpu?.systemMs ?? 0),
    ...between,
    total: cpuValue(cpu?.totalMs ?? 0),
    user: cpuValue(cpu?.userMs ?? 0),
  };
}

function cpuValue(ms: number): Value {
  const whole = Math.floor(ms / 1000);
  return { seconds: whole, microseconds: Math.round((ms - whole * 1000) * 1000) };
}

function seconds(at: number | null): number {
  return at === null ? 0 : Math.floor(at / 1000);
}

function exitValue({ code, signal }: ExitPair): Value {
  if (signal !== 0) {
    const name = signalDescription(signal);
    return { status: 'SIGNALED', return_code: null, signal: { signal_id: signal, name } };
  }
  return { status: code === 0 ? 'SUCCESS' : 'ERROR', return_code: code };
}

function flagsOf(run: Run): readonly string[] {
  const scheduler = schedulerOf(run);
  if (scheduler === null) return [];
  return ['CLEAR_SCHEDULING', scheduler === 'SchedSubmit' ? 'STARTED_ON_SUBMIT' : 'STARTED_ON_SCHEDULE'];
}

function numberOrNull(text: string): number | null {
  return text === '' ? null : Number(text);
}

function megabytes(bytes: number | null): number {
  return bytes === null ? 0 : Math.round(bytes / 1024 ** 2);
}

function tres(type: string, id: number, count: number): Members {
  const [kind, name = null] = type.split('/') as [string, string?];
  return { type: kind, name, id, count };
}

function tresValue({ cpus, memoryBytes, nodes, gpus }: Tres, isBilled: boolean): Value {
  const parts = [tres('cpu', 1, cpus)];
  if (memoryBytes !== null) parts.push(tres('mem', 2, megabytes(memoryBytes)));
  parts.push(tres('node', 4, nodes));
  if (isBilled) parts.push(tres('billing', 5, cpus));
  if (gpus > 0) parts.push(tres('gres/gpu', 1001, gpus));
  return parts;
}

function stepValue({ job }: Run, step: StepRun): Value {
  const isBatch = step.n === null;
  return {
    nodes: { list: step.nodes, count: step.nodes.length, range: step.nodeList },
    tres: { requested: used(step), consumed: NOTHING_USED, allocated: tresValue(step.allocated, false) },
    time: {
      elapsed: step.elapsedSeconds,
      end: seconds(step.endedAt),
      start: seconds(step.startedAt),
      suspended: step.suspendedSeconds,
      ...cpuValues(step.cpu, {}),
    },
    exit_code: exitValue(step.exit),
    tasks: { count: step.tasks },
    pid: null,
    CPU: {
      requested_frequency: isBatch ? { min: 0, max: 0 } : { min: null, max: null },
      governor: isBatch ? [] : ['Conservative', 'Performance', 'PowerSave', 'OnDemand', 'UserSpace'],
    },
    kill_request_user: step.stoppedBy,
    state: step.state,
    statistics: { CPU: { actual_frequency: 0 }, energy: { consumed: 0 } },
    step: { job_id: job.id, het: { component: null }, id: step.n ?? 'batch', name: step.name },
    task: { distribution: step.layout },
  };
}

const NO_ENERGY = tres('energy', 3, 0);
const NOTHING_USED: Value = { max: [], min: [], average: [NO_ENERGY], total: [NO_ENERGY] };

/** Which of several tasks used the most is not known; of one task everything is. */
function used(step: StepRun): Value {
  if (!isMeasured(step)) return NOTHING_USED;
  const { cpu, peakMemoryBytes, tasks, nodeList } = step;
  const memory = tasks === 1 ? [tres('mem', 2, peakMemoryBytes)] : [];
  const withCpu = (ms: number) => [tres('cpu', 1, Math.round(ms)), ...memory, NO_ENERGY];
  const ofOne = withCpu(cpu.totalMs).map((part) => ({ ...part, task: 0, node: nodeList }));
  const extreme = tasks === 1 ? ofOne : [];
  return {
    max: extreme,
    min: extreme,
    average: withCpu(cpu.totalMs / Math.max(1, tasks)),
    total: withCpu(cpu.totalMs),
  };
}
