/** Every command of the Slurm dialect. */

import type { SlurmCommand } from './command.ts';
import { sacct } from './sacct/sacct.ts';
import { sbatch } from './sbatch.ts';
import { squeue } from './squeue/squeue.ts';

export const SLURM_COMMANDS: readonly SlurmCommand[] = [sacct, sbatch, squeue];
