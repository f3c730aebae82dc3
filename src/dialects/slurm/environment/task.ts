/** What one task is told about its place among the others, and about the devices it may use. */

import type { DeviceShare } from '../../../model/job.ts';
import type { Entry } from './entries.ts';

export interface TaskPlace {
  readonly rank: number;
  readonly localRank: number;
  /** Among the nodes of the step. */
  readonly nodeNumber: number;
  readonly nodeName: string;
  /** What the step has on this node. */
  readonly cpus: number;
  /** The ranks of all tasks of the step on this node. */
  readonly ranksOnNode: readonly number[];
}

export function taskEntries(place: TaskPlace): readonly Entry[] {
  return [
    ['SLURMD_NODENAME', place.nodeName],
    ['SLURM_CPUS_ON_NODE', place.cpus],
    ['SLURM_GTIDS', place.ranksOnNode.join(',')],
    ['SLURM_LOCALID', place.localRank],
    ['SLURM_NODEID', place.nodeNumber],
    ['SLURM_PRIO_PROCESS', 0],
    ['SLURM_PROCID', place.rank],
    ['SLURM_TOPOLOGY_ADDR', place.nodeName],
    ['SLURM_TOPOLOGY_ADDR_PATTERN', 'node'],
  ];
}

/** `listedAs` is the variable that names the devices: of the job in its script, of the step in its tasks. */
export function deviceEntries(
  onNode: readonly DeviceShare[],
  ofTask: readonly DeviceShare[],
  listedAs: 'SLURM_JOB_GPUS' | 'SLURM_STEP_GPUS',
): readonly Entry[] {
  if (onNode.length === 0) return [];
  const indices = ofTask.map(({ index }) => index).join(',');
  return [
    ['SLURM_GPUS_ON_NODE', onNode.length],
    [listedAs, indices],
    ['CUDA_VISIBLE_DEVICES', indices],
    ['GPU_DEVICE_ORDINAL', indices],
    ['ROCR_VISIBLE_DEVICES', indices],
  ];
}
