/** What a job is told about itself and its place: the same in a batch script, in every step and under `salloc`. */

import type { Attempt, Job } from '../../../model/job.ts';
import { countOf, firstOf, lastOf, type RangeSet } from '../../../model/ranges.ts';
import { foldHosts } from '../host-list.ts';
import { accountOf } from '../job-facts.ts';
import { wordOf } from '../words.ts';
import { countsText, type Entry } from './entries.ts';

/** Who and where, beyond what the job itself says. */
export interface Home {
  readonly yardName: string;
  readonly host: string;
  readonly uid: number;
  readonly gid: number;
  /** The class of service of a job that asked for none. */
  readonly defaultQos: string | null;
}

export function allocationEntries(job: Job, { placement }: Attempt, home: Home): readonly Entry[] {
  const { spec } = job;
  const { nodes } = placement;
  const nodeList = foldHosts(nodes.map(({ node }) => node));
  return [
    ['SLURM_CLUSTER_NAME', home.yardName],
    ['SLURM_JOBID', job.id],
    ['SLURM_JOB_ACCOUNT', accountOf(job)],
    ['SLURM_JOB_CPUS_PER_NODE', countsText(nodes.map(({ cpus }) => cpus))],
    ['SLURM_JOB_GID', home.gid],
    ['SLURM_JOB_ID', job.id],
    ['SLURM_JOB_NAME', spec.name],
    ['SLURM_JOB_NODELIST', nodeList],
    ['SLURM_JOB_NUM_NODES', nodes.length],
    ['SLURM_JOB_PARTITION', spec.queue],
    ['SLURM_JOB_QOS', spec.qos ?? home.defaultQos],
    ['SLURM_JOB_RESERVATION', wordOf(job, 'reservation')],
    ['SLURM_JOB_UID', home.uid],
    ['SLURM_JOB_USER', spec.user],
    ['SLURM_NNODES', nodes.length],
    ['SLURM_NODELIST', nodeList],
    ['SLURM_SUBMIT_DIR', wordOf(job, 'submitDir') ?? spec.workDir],
    ['SLURM_SUBMIT_HOST', wordOf(job, 'submitHost') ?? shortName(home.host)],
    ['SLURM_TASKS_PER_NODE', countsText(nodes.map(({ ranks }) => ranks))],
    ...arrayEntries(job),
  ];
}

/** Seconds since 1970. A job without a time limit has no end to be told of. */
export function timeEntries({ spec }: Job, { startedAt }: Attempt, now: number): readonly Entry[] {
  const from = startedAt ?? now;
  return [
    ['SLURM_JOB_START_TIME', seconds(from)],
    ['SLURM_JOB_END_TIME', spec.limitMs === null ? null : seconds(from + spec.limitMs)],
  ];
}

function arrayEntries({ element, spec }: Job): readonly Entry[] {
  if (element === null) return [];
  const indices = spec.array?.indices ?? [];
  return [
    ['SLURM_ARRAY_JOB_ID', element.array],
    ['SLURM_ARRAY_TASK_COUNT', countOf(indices)],
    ['SLURM_ARRAY_TASK_ID', element.index],
    ['SLURM_ARRAY_TASK_MAX', lastOf(indices) ?? element.index],
    ['SLURM_ARRAY_TASK_MIN', firstOf(indices) ?? element.index],
    ['SLURM_ARRAY_TASK_STEP', stepOf(indices)],
  ];
}

/** The step that was written; of `3,5-7:2` that is 2. */
function stepOf(indices: RangeSet): number {
  return indices.find(([, , step]) => step > 1)?.[2] ?? 1;
}

function shortName(host: string): string {
  return host.split('.')[0] as string;
}

function seconds(at: number): number {
  return Math.floor(at / 1000);
}
