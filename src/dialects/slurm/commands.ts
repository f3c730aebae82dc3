/** Every command of the Slurm dialect. */

import type { SlurmCommand } from './command.ts';

export const SLURM_COMMANDS: readonly SlurmCommand[] = [];
