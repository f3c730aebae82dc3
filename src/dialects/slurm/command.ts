/** What a command of the Slurm dialect is. The list of them is in commands.ts. */

import type { Invocation, Program } from '../program.ts';

export interface SlurmCommand {
  /** The name it is called by: `sbatch`. */
  readonly name: string;
  readonly run: (invocation: Invocation) => Program;
}

/** What `--version` answers after "slurm ". Clients look at it to see what they may use. */
export const SLURM_VERSION = '22.05.8';
