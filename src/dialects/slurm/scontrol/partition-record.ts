/** One partition for programs: what `scontrol show partition --json` and `--yaml` tell of it, as Slurm 22.05 has it. */

import type { Queue } from '../../../model/policy.ts';
import type { NodeView } from '../../../model/query.ts';
import { foldHosts } from '../host-list.ts';
import type { Value } from '../listing/structured.ts';
import { partitionTres } from './partition-tres.ts';

const MEBIBYTE = 1024 ** 2;
const MINUTE_MS = 60_000;
/** INFINITE of the original, in 32 and in 64 bits. */
const INFINITE = 4_294_967_295;
const NO_NUMBER = 4_294_967_294;

export function partitionRecord(queue: Queue, nodes: readonly NodeView[]): Value {
  const minutes = (limitMs: number | null, none: number) =>
    limitMs === null ? none : Math.ceil(limitMs / MINUTE_MS);
  const memory = queue.defaultMemoryPerCpuBytes ?? queue.defaultMemoryBytes;
  return {
    flags: queue.isDefault ? ['default'] : [],
    preemption_mode: [queue.preempt === 'off' ? 'disabled' : queue.preempt],
    allowed_allocation_nodes: '',
    allowed_accounts: '',
    allowed_groups: '',
    allowed_qos: '',
    alternative: '',
    billing_weights: '',
    default_memory_per_cpu: memory === null ? 0 : Math.round(memory / MEBIBYTE),
    default_time_limit: minutes(queue.defaultLimitMs, NO_NUMBER),
    denied_accounts: '',
    denied_qos: '',
    preemption_grace_time: Math.round((queue.graceMs ?? 0) / 1000),
    maximum_cpus_per_node: INFINITE,
    maximum_memory_per_node: 0,
    maximum_nodes_per_job: INFINITE,
    max_time_limit: minutes(queue.maxLimitMs, INFINITE),
    min_nodes_per_job: 0,
    name: queue.name,
    nodes: foldHosts(nodes.map(({ node }) => node.name)),
    over_time_limit: 0,
    priority_job_factor: 1,
    priority_tier: Math.max(0, queue.priority),
    qos: '',
    state: queue.open ? 'UP' : 'DOWN',
    total_cpus: nodes.reduce((sum, { node }) => sum + node.cpus, 0),
    total_nodes: nodes.length,
    tres: partitionTres(nodes),
  };
}
