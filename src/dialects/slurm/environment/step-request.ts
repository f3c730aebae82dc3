/** What an `srun` was asked for, said to the tasks of its step: from its own command line, and nothing else. */

import { type GivenOption, isGiven, lastValue } from '../../options.ts';
import type { Entry } from './entries.ts';

/** Said back just as it was written. */
const VERBATIM: readonly (readonly [variable: string, option: string])[] = [
  ['SLURM_CPUS_PER_TASK', 'cpus-per-task'],
  ['SLURM_CPU_FREQ_REQ', 'cpu-freq'],
  ['SLURM_JOB_DEPENDENCY', 'dependency'],
  ['SLURM_MPI_TYPE', 'mpi'],
  ['SLURM_NTASKS_PER_CORE', 'ntasks-per-core'],
  ['SLURM_NTASKS_PER_NODE', 'ntasks-per-node'],
  ['SLURM_THREADS_PER_CORE', 'threads-per-core'],
  ['SLURMD_DEBUG', 'slurmd-debug'],
];

const USUAL_LOUDNESS = 3;

export function stepRequestEntries(given: readonly GivenOption[]): readonly Entry[] {
  const count = (name: string) => given.filter((option) => option.name === name).length;
  return [
    ...VERBATIM.map(([variable, option]): Entry => [variable, lastValue(given, option)]),
    ['SLURM_LABELIO', isGiven(given, 'label') ? 1 : null],
    ['SLURM_OVERCOMMIT', isGiven(given, 'overcommit') ? 1 : null],
    ['SRUN_DEBUG', USUAL_LOUDNESS + count('verbose') - count('quiet')],
    ...bindingEntries('SLURM_CPU_BIND', lastValue(given, 'cpu-bind')),
    ...bindingEntries('SLURM_MEM_BIND', lastValue(given, 'mem-bind')),
  ];
}

/** `quiet,none` and its parts. */
function bindingEntries(name: string, text: string | null): readonly Entry[] {
  if (text === null) return [];
  const words = text.match(/(?:map|mask)_\w+:.*$|[^,]+/gi) ?? [];
  const isLoudness = (word: string) => /^(?:q|quiet|v|verbose)$/i.test(word);
  const loudness = words.some((word) => /^v/i.test(word) && isLoudness(word)) ? 'verbose' : 'quiet';
  const [type = '', list = ''] = (words.find((word) => !isLoudness(word)) ?? '').split(/:(.*)/s);
  return [
    [name, [loudness, ...(type === '' ? [] : [list === '' ? type : `${type}:${list}`])].join(',')],
    [`${name}_LIST`, list],
    [`${name}_TYPE`, list === '' ? type : `${type}:`],
    [`${name}_VERBOSE`, loudness],
  ];
}
