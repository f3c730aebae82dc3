/** Every field of `squeue -s -O`, by its name in lower case. */

import { clockText } from '../durations.ts';
import type { Columns } from '../listing/format.ts';
import type { Column } from '../listing/layout.ts';
import { wordOf } from '../words.ts';
import { type StepRow, stepIdText } from './steps.ts';

type StepColumn = Column<StepRow>;

function column(heading: string, text: StepColumn['text'], whole?: StepColumn['whole']): StepColumn {
  return whole === undefined ? { heading, text } : { heading, text, whole };
}

/** What nobody asks of a step here. */
function nothing(heading: string): StepColumn {
  return { heading, text: () => null };
}

function taskCount({ step }: StepRow): number {
  return step === null ? 1 : step.placement.nodes.reduce((sum, { ranks }) => sum + ranks, 0);
}

/** The script uses what its job has, and counts no CPUs of its own. */
function cpuCount({ step }: StepRow): number {
  return step === null ? 0 : step.placement.nodes.reduce((sum, { cpus }) => sum + cpus, 0);
}

export const STEP_FIELDS: Columns<StepRow> = {
  arrayjobid: column('ARRAY_JOB_ID', ({ facts }) => `${facts.array?.jobId ?? 0}`),
  arraytaskid: column('ARRAY_TASK_ID', ({ facts }) => facts.array?.taskText ?? 'N/A'),
  cluster: column('CLUSTER', ({ scene }) => scene.cluster),
  container: nothing('CONTAINER'),
  cpufreq: column('CPU_FREQ', ({ step }) => (step === null ? '0-0:0' : 'Unknown-Unknown:Unknown')),
  'cpus-per-tres': nothing('CPUS_PER_TRES'),
  gres: nothing('TRES_PER_JOB'),
  jobid: column('JOB_ID', ({ job }) => `${job.id}`),
  'mem-per-tres': nothing('MEM_PER_TRES'),
  network: column('NETWORK', ({ job }) => wordOf(job, 'network')),
  nodes: column('NODELIST', ({ nodeList }) => nodeList, 'both'),
  numcpus: column('NUM_CPUS', (row) => `${cpuCount(row)}`),
  numtasks: column('TASKS', (row) => `${taskCount(row)}`),
  partition: column('PARTITION', ({ job }) => job.spec.queue),
  resvports: nothing('RESERVED_PORTS'),
  starttime: column('START_TIME', ({ scene, startAt }) => scene.momentText(startAt)),
  stepid: column('STEPID', stepIdText),
  stepname: column('NAME', ({ step }) => step?.name ?? 'batch'),
  stepstate: column('STATE', () => 'RUNNING'),
  timelimit: column('TIME_LIMIT', () => 'UNLIMITED'),
  timeused: column('TIME', ({ scene, startAt }) => clockText(scene.now - startAt), 'text'),
  'tres-bind': nothing('TRES_BIND'),
  'tres-freq': nothing('TRES_FREQ'),
  // Two headings that the original mixes up.
  'tres-per-job': nothing('TRES_PER_STEP'),
  'tres-per-node': nothing('TRES_PER_JOB'),
  'tres-per-socket': nothing('TRES_PER_SOCKET'),
  'tres-per-step': nothing('TRES_PER_STEP'),
  'tres-per-task': nothing('TRES_PER_TASK'),
  userid: column('UID', ({ job, scene }) => `${scene.users.get(job.spec.user)?.uid ?? 'N/A'}`),
  username: column('USER', ({ job }) => job.spec.user),
};
