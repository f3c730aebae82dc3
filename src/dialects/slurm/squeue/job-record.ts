/** One job for programs: what `squeue --json` and `--yaml` tell of it, in the order and shape of Slurm 22.05. */

import type { NodeShare } from '../../../model/job.ts';
import { dependencyText } from '../dependency-text.ts';
import { foldHosts } from '../host-list.ts';
import { accountOf, hasBatchStep, preemptedAtOf, qosOf } from '../job-facts.ts';
import { Real, type Value } from '../listing/structured.ts';
import { partitionsOf } from '../partitions.ts';
import { requestedTres, tresText } from '../tres.ts';
import { type SlurmWord, wordOf } from '../words.ts';
import {
  arrayTaskText,
  askedOutput,
  eligibleAtOf,
  endAtOf,
  inputPath,
  leastCpusPerNode,
  leastTimeMs,
  priorityOf,
  profilesOf,
  rawExitStatus,
  sharingText,
  startAtOf,
  tresPer,
  writtenBytes,
} from './job-values.ts';
import type { JobRow } from './rows.ts';

const MEBIBYTE = 1024 ** 2;
const MINUTE_MS = 60_000;
/** Slurm writes what is below zero as a large number. */
const TWO_TO_32 = 2 ** 32;

export function jobRecord(row: JobRow): Value {
  const { facts, job, scene, tasks } = row;
  const { spec } = job;
  const { resources } = spec;
  const user = scene.users.get(spec.user);
  const said = (word: SlurmWord) => wordOf(job, word) ?? '';
  const begun = facts.attempt !== null;
  return {
    account: accountOf(job),
    accrue_time: seconds(job.eligibleAt),
    admin_comment: said('adminComment'),
    array_job_id: tasks?.arrayId ?? 0,
    array_task_id: tasks?.single === true ? (tasks.indices[0]?.[0] ?? null) : null,
    array_max_tasks: tasks === null ? 0 : (spec.array?.throttle ?? 0),
    array_task_string: tasks === null || tasks.single ? '' : (arrayTaskText(row) ?? ''),
    association_id: 0,
    batch_features: '',
    batch_flag: hasBatchStep(job),
    batch_host: facts.nodes[0] ?? '',
    flags: flagsOf(row),
    burst_buffer: said('burstBuffer'),
    burst_buffer_state: '',
    cluster: scene.cluster,
    cluster_features: '',
    command: said('command'),
    comment: spec.comment ?? '',
    container: '',
    contiguous: wordOf(job, 'contiguous') !== null,
    core_spec: count(wordOf(job, 'coreSpec')),
    thread_spec: count(wordOf(job, 'threadSpec')),
    cores_per_socket: null,
    billable_tres: begun ? new Real(facts.tres.cpus) : null,
    cpus_per_task: count(wordOf(job, 'cpusPerTask')),
    cpu_frequency_minimum: null,
    cpu_frequency_maximum: null,
    cpu_frequency_governor: null,
    cpus_per_tres: perGpu(wordOf(job, 'cpusPerGpu')),
    deadline: seconds(spec.deadlineAt),
    delay_boot: 0,
    dependency: dependencyText(facts.view) ?? '',
    derived_exit_code: 0,
    eligible_time: seconds(eligibleAtOf(row)),
    end_time: endSeconds(row),
    excluded_nodes: foldHosts(resources.exceptNodes),
    exit_code: rawExitStatus(facts),
    features: resources.constraint ?? '',
    federation_origin: '',
    federation_siblings_active: '',
    federation_siblings_viable: '',
    gres_detail: job.phase === 'active' ? gresDetail(facts.attempt?.placement.nodes ?? []) : [],
    group_id: user?.gid ?? null,
    group_name: user?.group ?? '',
    job_id: job.id,
    ...(begun ? { job_resources: jobResources(row) } : {}),
    job_state: facts.state.name,
    last_sched_evaluation: seconds(facts.attempt?.assignedAt ?? null),
    licenses: said('licenses'),
    max_cpus: 0,
    max_nodes: resources.nodes.max > resources.nodes.min ? resources.nodes.max : 0,
    mcs_label: said('mcsLabel'),
    memory_per_tres: perGpu(wordOf(job, 'memPerGpu')),
    name: spec.name,
    nodes: facts.nodeList,
    nice: spec.nice === 0 ? null : (spec.nice + TWO_TO_32) % TWO_TO_32,
    tasks_per_core: count(wordOf(job, 'ntasksPerCore')),
    tasks_per_node: resources.ranksPerNode ?? 0,
    tasks_per_socket: count(wordOf(job, 'ntasksPerSocket')),
    tasks_per_board: 0,
    cpus: facts.tres.cpus,
    node_count: facts.tres.nodes,
    tasks: facts.tasks,
    het_job_id: 0,
    het_job_id_set: '',
    het_job_offset: 0,
    partition: partitionsOf(job).join(','),
    prefer: '',
    memory_per_node: memoryMegabytes(row, 'node'),
    memory_per_cpu: memoryMegabytes(row, 'cpu'),
    minimum_cpus_per_node: leastCpusPerNode(row),
    minimum_tmp_disk_per_node: Math.round(writtenBytes(wordOf(job, 'tmp')) / MEBIBYTE),
    preempt_time: seconds(preemptedAtOf(facts)),
    pre_sus_time: 0,
    priority: priorityOf(row),
    profile: profilesOf(row),
    qos: qosOf(job, scene.policy) ?? '',
    reboot: false,
    required_nodes: foldHosts(resources.onlyNodes),
    requeue: spec.requeue,
    resize_time: 0,
    restart_cnt: job.restarts,
    resv_name: said('reservation'),
    shared: SHARED[sharingText(row)],
    show_flags: ['SHOW_ALL', 'SHOW_DETAIL', 'SHOW_LOCAL'],
    sockets_per_board: 0,
    sockets_per_node: null,
    start_time: seconds(startAtOf(row)),
    state_description: facts.describedReason === facts.reason ? '' : facts.describedReason,
    state_reason: facts.reason,
    standard_error: askedOutput(row, 'stderr') ?? '',
    standard_input: hasBatchStep(job) ? inputPath(row) : '',
    standard_output: askedOutput(row, 'stdout') ?? '',
    submit_time: seconds(job.submittedAt),
    suspend_time: seconds(facts.attempt?.suspendedAt ?? null),
    system_comment: '',
    time_limit: spec.limitMs === null ? null : Math.ceil(spec.limitMs / MINUTE_MS),
    time_minimum: Math.ceil(leastTimeMs(row) / MINUTE_MS),
    threads_per_core: null,
    tres_bind: wordOf(job, 'gpuBind') === null ? '' : `gres:gpu:${said('gpuBind')}`,
    tres_freq: '',
    tres_per_job: tresPer(row, 'job') ?? '',
    tres_per_node: tresPer(row, 'node') ?? '',
    tres_per_socket: tresPer(row, 'socket') ?? '',
    tres_per_task: tresPer(row, 'task') ?? '',
    tres_req_str: tresText(requestedTres(resources)),
    tres_alloc_str: begun ? tresText(facts.tres) : '',
    user_id: user?.uid ?? null,
    user_name: spec.user,
    wckey: said('wckey'),
    current_working_directory: spec.workDir,
  };
}

const SHARED = { OK: null, NO: 'none', USER: 'user', MCS: 'mcs', YES: 'shared' } as const;

function seconds(at: number | null): number {
  return at === null ? 0 : Math.floor(at / 1000);
}

function count(word: string | null): number | null {
  const parsed = Number.parseInt(word ?? '', 10);
  return Number.isNaN(parsed) ? null : parsed;
}

function perGpu(word: string | null): string {
  return word === null ? '' : `gres:gpu:${word}`;
}

function endSeconds(row: JobRow): number {
  const endAt = endAtOf(row);
  return endAt === 'never' ? 0 : seconds(endAt);
}

function flagsOf({ facts, job }: JobRow): readonly string[] {
  const flags: string[] = [];
  if (hasBatchStep(job) && job.phase === 'active' && facts.attempt !== null) flags.push('JOB_WAS_RUNNING');
  if (wordOf(job, 'memPerNode') !== null || wordOf(job, 'memPerCpu') !== null) flags.push('JOB_MEM_SET');
  return flags;
}

function memoryMegabytes({ job }: JobRow, per: 'node' | 'cpu'): number | null {
  const { memory, cpusPerRank } = job.spec.resources;
  if (memory === null || memory.bytes === 0) return null;
  const perWhat = memory.per === 'rank' ? 'cpu' : memory.per;
  if (perWhat !== per) return null;
  const bytes = memory.per === 'rank' ? memory.bytes / Math.max(1, cpusPerRank) : memory.bytes;
  return Math.round(bytes / MEBIBYTE);
}

/** `gpu:2(IDX:0-1)` of each node. */
function gresDetail(nodes: readonly NodeShare[]): readonly string[] {
  if (nodes.every(({ devices }) => devices.length === 0)) return [];
  return nodes.map(({ devices }) => {
    const indices = foldHosts(devices.map(({ index }) => `${index}`)).replace(/^\[|\]$/g, '');
    return `gpu:${devices.length}(IDX:${indices})`;
  });
}

/** A CPU is a socket with one core here, as on every machine that nobody has described closer. */
function jobResources({ facts }: JobRow): Value {
  const shares = facts.attempt?.placement.nodes ?? [];
  return {
    nodes: facts.nodeList,
    allocated_cores: facts.tres.cpus,
    allocated_hosts: shares.length,
    allocated_nodes: shares.map((share) => ({
      sockets: Object.fromEntries(
        socketsOf(share).map((socket) => [`${socket}`, { cores: { '0': 'allocated' } }]),
      ),
      nodename: share.node,
      cpus_used: 0,
      memory_used: 0,
      memory_allocated: Math.round(share.memoryBytes / MEBIBYTE),
    })),
  };
}

function socketsOf({ cpuIds, cpus }: NodeShare): readonly number[] {
  return cpuIds.length > 0 ? cpuIds : Array.from({ length: cpus }, (_, index) => index);
}
