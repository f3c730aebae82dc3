/** What a mail program finds in its environment: Slurm tells its own about the job, and people have scripts for that. */

import { eventWords, exitOf, type Letter, stateWord } from './letters.ts';

export function variablesFor({ job, occasion }: Letter, yardName: string): Readonly<Record<string, string>> {
  const { spec, element, attempt } = job;
  const exit = exitOf(job);
  return {
    SLURM_CLUSTER_NAME: yardName,
    SLURM_JOBID: `${job.id}`,
    SLURM_JOB_ID: `${job.id}`,
    SLURM_JOB_NAME: spec.name,
    SLURM_JOB_USER: spec.user,
    SLURM_JOB_PARTITION: spec.queue,
    ...(spec.account === null ? {} : { SLURM_JOB_ACCOUNT: spec.account }),
    SLURM_JOB_NODELIST: attempt?.placement.nodes.map(({ node }) => node).join(',') ?? '',
    SLURM_JOB_RESTART_COUNT: `${job.restarts}`,
    SLURM_JOB_WORK_DIR: spec.workDir,
    SLURM_JOB_STATE: stateWord(job),
    SLURM_JOB_MAIL_TYPE: eventWords(occasion),
    ...(job.phase === 'ended' ? { SLURM_JOB_EXIT_CODE2: `${exit.code ?? 0}:${exit.signal ?? 0}` } : {}),
    ...(element === null
      ? {}
      : { SLURM_ARRAY_JOB_ID: `${element.array}`, SLURM_ARRAY_TASK_ID: `${element.index}` }),
  };
}
