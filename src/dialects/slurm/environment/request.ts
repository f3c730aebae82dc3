/**
 * What a submitter asked for, said back to a batch script and to the shell of `salloc`, from where `srun` takes it as
 * if it had been asked for again. Nothing that was not asked for is here.
 */

import type { Job } from '../../../model/job.ts';
import { parseSizeBytes } from '../submit/values.ts';
import { type SlurmWord, wordOf } from '../words.ts';
import type { Entry } from './entries.ts';

const MEGABYTE = 1024 ** 2;

/** Said back just as it was written. */
const VERBATIM: readonly (readonly [variable: string, word: SlurmWord])[] = [
  ['SLURM_CPUS_PER_GPU', 'cpusPerGpu'],
  ['SLURM_CPUS_PER_TASK', 'cpusPerTask'],
  ['SLURM_GPUS', 'gpus'],
  ['SLURM_GPUS_PER_NODE', 'gpusPerNode'],
  ['SLURM_GPUS_PER_SOCKET', 'gpusPerSocket'],
  ['SLURM_GPUS_PER_TASK', 'gpusPerTask'],
  ['SLURM_GPU_BIND', 'gpuBind'],
  ['SLURM_GPU_FREQ', 'gpuFrequency'],
  ['SLURM_CPU_FREQ_REQ', 'cpuFrequency'],
  ['SLURM_HINT', 'hint'],
  ['SLURM_JOB_DEPENDENCY', 'dependency'],
  ['SLURM_NTASKS_PER_CORE', 'ntasksPerCore'],
  ['SLURM_NTASKS_PER_GPU', 'ntasksPerGpu'],
  ['SLURM_NTASKS_PER_NODE', 'ntasksPerNode'],
  ['SLURM_NTASKS_PER_SOCKET', 'ntasksPerSocket'],
  ['SLURM_THREADS_PER_CORE', 'threadsPerCore'],
];

/** Each of these says how many tasks there are, or what that follows from. */
const SAY_HOW_MANY_TASKS: readonly SlurmWord[] = ['ntasks', 'ntasksPerNode', 'ntasksPerGpu', 'gpusPerTask'];

export function requestEntries(job: Job): readonly Entry[] {
  const ntasks = tasksAsked(job);
  const [distribution, planeSize] = (wordOf(job, 'distribution') ?? '').split('=');
  const openMode = wordOf(job, 'openMode');
  return [
    ...VERBATIM.map(([variable, word]): Entry => [variable, wordOf(job, word)]),
    ['SLURM_NPROCS', ntasks],
    ['SLURM_NTASKS', ntasks],
    ['SLURM_OVERCOMMIT', wordOf(job, 'overcommit') === null ? null : 1],
    ['SLURM_DISTRIBUTION', distribution || null],
    ['SLURM_DIST_PLANESIZE', planeSize ?? null],
    ['SLURM_PROFILE', capitalised(wordOf(job, 'profile'))],
    ['SLURM_OPEN_MODE', openMode === null ? null : openMode.charAt(0).toLowerCase()],
    ...memoryBindEntries(job),
    ...memoryEntries(job),
  ];
}

function tasksAsked(job: Job): string | null {
  if (SAY_HOW_MANY_TASKS.every((word) => wordOf(job, word) === null)) return null;
  return wordOf(job, 'ntasks') ?? `${job.spec.resources.ranks}`;
}

/** In megabytes, the queue's own default too. Who asked for all of a node is not told how much that is. */
function memoryEntries(job: Job): readonly Entry[] {
  const { memory } = job.spec.resources;
  if (memory === null || memory.bytes === 0) return [];
  const perGpu = wordOf(job, 'memPerGpu');
  if (perGpu !== null) return [['SLURM_MEM_PER_GPU', megabytes(parseSizeBytes(perGpu) ?? 0)]];
  if (memory.per === 'cpu') return [['SLURM_MEM_PER_CPU', megabytes(memory.bytes)]];
  return memory.per === 'node' ? [['SLURM_MEM_PER_NODE', megabytes(memory.bytes)]] : [];
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / MEGABYTE);
}

function memoryBindEntries(job: Job): readonly Entry[] {
  const text = wordOf(job, 'memBind');
  if (text === null) return [];
  return [
    ['SLURM_MEM_BIND', text],
    ['SLURM_MEM_BIND_VERBOSE', text.startsWith('v') ? 'verbose' : 'quiet'],
  ];
}

function capitalised(list: string | null): string | null {
  return list === null ? null : list.toLowerCase().replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
