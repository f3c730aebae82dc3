/**
 * What was said in Slurm's words and has no place in JobSpec, kept verbatim on the job so that it can be said back:
 * by `scontrol show job`, by the variables of the job, by `sacct`. Only what the submitter gave is there.
 */

import type { Job } from '../../model/job.ts';

export type SlurmWord =
  /** The script as `Command=` shows it: absolute path and arguments; of an `srun` its command. */
  | 'command'
  /** The whole command line, for `SubmitLine`. */
  | 'submitLine'
  /** Which command submitted it: `sbatch`, `srun`, `salloc`. */
  | 'by'
  | 'submitDir'
  | 'submitHost'
  /** `--export` as given; null: ALL. */
  | 'export'
  /** The numbers as asked for; absent when they were not. */
  | 'ntasks'
  | 'nodes'
  | 'ntasksPerNode'
  | 'ntasksPerSocket'
  | 'ntasksPerCore'
  | 'ntasksPerGpu'
  | 'cpusPerTask'
  | 'memPerNode'
  | 'memPerCpu'
  | 'memPerGpu'
  | 'gres'
  | 'gpus'
  | 'gpusPerNode'
  | 'gpusPerTask'
  | 'gpusPerSocket'
  | 'cpusPerGpu'
  | 'tmp'
  | 'minCpus'
  | 'timeMin'
  | 'licenses'
  | 'network'
  | 'wckey'
  | 'reservation'
  | 'clusters'
  | 'mcsLabel'
  | 'oversubscribe'
  | 'exclusive'
  | 'contiguous'
  | 'coreSpec'
  | 'threadSpec'
  | 'switches'
  | 'distribution'
  | 'hint'
  | 'cpuBind'
  | 'memBind'
  | 'gpuBind'
  | 'openMode'
  | 'profile'
  | 'power'
  | 'burstBuffer'
  | 'adminComment'
  | 'extra'
  | 'getUserEnv'
  | 'killOnInvalidDependency'
  | 'signal'
  | 'umask'
  | 'dependency'
  | 'overcommit'
  | 'threadsPerCore'
  | 'cpuFrequency'
  | 'gpuFrequency';

export function wordOf({ spec }: Pick<Job, 'spec'>, word: SlurmWord): string | null {
  const { words } = spec.origin;
  return Object.hasOwn(words, word) ? (words[word] ?? null) : null;
}
