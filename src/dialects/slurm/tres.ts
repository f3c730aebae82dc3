/** Trackable resources, as Slurm lists them: `cpu=1,mem=200M,node=1,billing=1,gres/gpu=2`. */

import type { Placement } from '../../model/job.ts';
import type { ResourceRequest } from '../../model/job-spec.ts';

export interface Tres {
  readonly cpus: number;
  /** Null: nobody asked for any, and there is no limit. */
  readonly memoryBytes: number | null;
  readonly nodes: number;
  readonly gpus: number;
}

export function allocatedTres({ nodes }: Placement): Tres {
  const memoryBytes = sum(nodes.map((share) => share.memoryBytes));
  return {
    cpus: sum(nodes.map((share) => share.cpus)),
    memoryBytes: memoryBytes === 0 ? null : memoryBytes,
    nodes: nodes.length,
    gpus: sum(nodes.map((share) => share.devices.length)),
  };
}

/** What a job that has no place yet would hold at the least. */
export function requestedTres(resources: ResourceRequest): Tres {
  const { ranks, cpusPerRank, memory, gpus, nodes } = resources;
  const cpus = ranks * cpusPerRank;
  const per = { node: nodes.min, rank: ranks, cpu: cpus, job: 1 };
  return {
    cpus,
    memoryBytes: memory === null || memory.bytes === 0 ? null : memory.bytes * per[memory.per],
    nodes: nodes.min,
    gpus: gpus === null ? 0 : gpus.count * per[gpus.per],
  };
}

/** In the order of `scontrol`. */
export function tresText({ cpus, memoryBytes, nodes, gpus }: Tres): string {
  const parts = [`cpu=${cpus}`];
  if (memoryBytes !== null) parts.push(`mem=${megabytesText(memoryBytes)}`);
  parts.push(`node=${nodes}`, `billing=${cpus}`);
  if (gpus > 0) parts.push(`gres/gpu=${gpus}`);
  return parts.join(',');
}

/** `200M`, `4G`, `12.50G`: the largest unit of which it is a whole number of halves, as Slurm does. */
export function megabytesText(bytes: number): string {
  let amount = Math.round(bytes / 1024 ** 2);
  let unit = 'M';
  for (const larger of ['G', 'T', 'P']) {
    if (amount < 1024 || amount % 512 !== 0) break;
    amount /= 1024;
    unit = larger;
  }
  return `${Number.isInteger(amount) ? amount : amount.toFixed(2)}${unit}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
