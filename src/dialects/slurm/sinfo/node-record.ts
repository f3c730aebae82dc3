/** One node for programs: what `sinfo --json` and `--yaml` tell of it, in the order and shape of Slurm 22.05. */

import { SLURM_VERSION } from '../command.ts';
import { Real, type Value } from '../listing/structured.ts';
import { megabytesText } from '../tres.ts';
import { featuresText, gresOf, gresUsedText, memoryOf } from './fields.ts';
import type { NodeSight } from './node-sights.ts';

const MEBIBYTE = 1024 ** 2;

export interface Machine {
  readonly host: string;
  readonly startedAt: number;
}

/** What nobody has measured or set down is empty, none, or zero, as Slurm has it for what it does not know. */
export function nodeRecord(sight: NodeSight, { host, startedAt }: Machine): Value {
  const { facts, name, cpus } = sight;
  const { node, machine, memoryUsedBytes, cpusUsed } = facts.view;
  const features = featuresText(sight) ?? '';
  return {
    architecture: machine?.architecture ?? '',
    burstbuffer_network_address: '',
    boards: 1,
    boot_time: machine === undefined ? 0 : Math.floor(machine.bootedAt / 1000),
    comment: '',
    cores: 1,
    cpu_binding: 0,
    cpu_load: machine === undefined ? null : Math.round(machine.load * 100),
    extra: '',
    free_memory: machine === undefined ? null : Math.floor(machine.freeMemoryBytes / MEBIBYTE),
    cpus: node.cpus,
    last_busy: 0,
    features,
    active_features: features,
    gres: gresOf(sight) ?? '',
    gres_drained: 'N/A',
    gres_used: gresUsedText(sight) ?? '',
    mcs_label: '',
    name,
    next_state_after_reboot: 'invalid',
    address: name,
    hostname: host,
    state: facts.base.toLowerCase(),
    state_flags: [...facts.flags, ...(sight.completing ? ['COMPLETING'] : [])],
    next_state_after_reboot_flags: [],
    operating_system: machine?.system ?? '',
    owner: null,
    partitions: facts.partitions,
    port: 0,
    real_memory: memoryOf(sight),
    reason: node.reason ?? '',
    reason_changed_at: 0,
    reason_set_by_user: null,
    slurmd_start_time: Math.floor(startedAt / 1000),
    sockets: node.cpus,
    threads: 1,
    temporary_disk: 0,
    weight: 1,
    tres: tresOf(node.cpus, node.memoryBytes, node.devices.length, true),
    slurmd_version: SLURM_VERSION,
    alloc_memory: Math.floor(memoryUsedBytes / MEBIBYTE),
    alloc_cpus: cpusUsed,
    idle_cpus: cpus.idle,
    tres_used: cpusUsed === 0 ? null : tresOf(cpusUsed, memoryUsedBytes, facts.gpusUsed, false),
    tres_weighted: new Real(cpusUsed),
  };
}

function tresOf(cpus: number, memoryBytes: number, gpus: number, billed: boolean): string {
  const parts = [`cpu=${cpus}`];
  if (memoryBytes > 0) parts.push(`mem=${megabytesText(memoryBytes)}`);
  if (billed) parts.push(`billing=${cpus}`);
  if (gpus > 0) parts.push(`gres/gpu=${gpus}`);
  return parts.join(',');
}
