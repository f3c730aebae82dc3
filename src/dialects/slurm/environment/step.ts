/** What each task of a step is told beyond its job and its own place. */

import type { Placement } from '../../../model/job.ts';
import { foldHosts } from '../host-list.ts';
import { countsText, type Entry } from './entries.ts';

export interface StepFacts {
  readonly number: number;
  readonly placement: Placement;
  readonly ntasks: number;
  readonly umask: number;
}

export function stepEntries({ number, placement, ntasks, umask }: StepFacts): readonly Entry[] {
  const { nodes } = placement;
  const tasksPerNode = countsText(nodes.map(({ ranks }) => ranks));
  return [
    ['SLURM_LAUNCH_NODE_IPADDR', '127.0.0.1'],
    ['SLURM_NNODES', nodes.length],
    ['SLURM_NPROCS', ntasks],
    ['SLURM_NTASKS', ntasks],
    ['SLURM_STEPID', number],
    ['SLURM_STEP_ID', number],
    ['SLURM_STEP_NODELIST', foldHosts(nodes.map(({ node }) => node))],
    ['SLURM_STEP_NUM_NODES', nodes.length],
    ['SLURM_STEP_NUM_TASKS', ntasks],
    ['SLURM_STEP_TASKS_PER_NODE', tasksPerNode],
    ['SLURM_TASKS_PER_NODE', tasksPerNode],
    ['SLURM_UMASK', umask.toString(8).padStart(4, '0')],
  ];
}
