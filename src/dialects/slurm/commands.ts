/** Every command of the Slurm dialect. */

import type { SlurmCommand } from './command.ts';
import { sacct } from './sacct/sacct.ts';
import { sacctmgr } from './sacctmgr/sacctmgr.ts';
import { salloc } from './salloc/salloc.ts';
import { sattach } from './sattach/sattach.ts';
import { sbatch } from './sbatch.ts';
import { sbcast } from './sbcast.ts';
import { scancel } from './scancel/scancel.ts';
import { scontrol } from './scontrol/scontrol.ts';
import { sdiag } from './sdiag.ts';
import { seff } from './seff.ts';
import { sinfo } from './sinfo/sinfo.ts';
import { sprio } from './sprio/sprio.ts';
import { squeue } from './squeue/squeue.ts';
import { srun } from './srun/srun.ts';
import { sshare } from './sshare/sshare.ts';
import { sstat } from './sstat/sstat.ts';

export const SLURM_COMMANDS: readonly SlurmCommand[] = [
  sacct,
  sacctmgr,
  salloc,
  sattach,
  sbatch,
  sbcast,
  scancel,
  scontrol,
  sdiag,
  seff,
  sinfo,
  sprio,
  squeue,
  srun,
  sshare,
  sstat,
];
