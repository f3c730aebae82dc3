/** Options from three sides: those of the command line win over the environment, which wins over the script. */

import type { GivenOption } from '../../options.ts';
import { fatal } from './complaints.ts';
import type { Submitter } from './options.ts';
import { memoryOptions } from './resources.ts';

export interface Layers {
  readonly script: readonly GivenOption[];
  readonly environment: readonly GivenOption[];
  readonly commandLine: readonly GivenOption[];
}

/** In the order in which the last one counts. */
export function mergedOptions(
  command: Submitter,
  { script, environment, commandLine }: Layers,
): readonly GivenOption[] {
  return [...script, ...withoutOverruled(command, environment, [...script, ...commandLine]), ...commandLine];
}

/** Ways to ask for memory exclude each other: any that was written overrules all that the environment has. */
function withoutOverruled(
  command: Submitter,
  environment: readonly GivenOption[],
  written: readonly GivenOption[],
): readonly GivenOption[] {
  const memory = memoryOptions(environment);
  if (memory.length === 0) return environment;
  if (memoryOptions(written).length > 0) return environment.filter((option) => !memory.includes(option));
  if (new Set(memory.map(({ name }) => name)).size > 1) {
    const variables = 'SLURM_MEM_PER_CPU, SLURM_MEM_PER_GPU, and SLURM_MEM_PER_NODE';
    throw fatal(command, `${variables} are mutually exclusive.`);
  }
  return environment;
}
