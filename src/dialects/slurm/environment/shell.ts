/** What the shell of a `salloc` is told: of the place and of what was asked for, but of no task. */

import type { Attempt, Job } from '../../../model/job.ts';
import type { Variables } from '../../../model/voice.ts';
import { allocationEntries, type Home, timeEntries } from './allocation.ts';
import { variablesFrom } from './entries.ts';
import { requestEntries } from './request.ts';
import { deviceEntries } from './task.ts';

/** About whoever runs it, a shell knows better itself. */
const NOT_TOLD = ['SLURM_JOB_GID', 'SLURM_JOB_UID', 'SLURM_JOB_USER'];

export function shellVariables(job: Job, attempt: Attempt, home: Home): Variables {
  const devices = attempt.placement.nodes[0]?.devices ?? [];
  const all = variablesFrom(
    allocationEntries(job, attempt, home),
    timeEntries(job, attempt, attempt.assignedAt),
    requestEntries(job),
    [['SLURM_NODE_ALIASES', '(null)']],
    // The shell is on the node itself.
    deviceEntries(devices, devices, 'SLURM_JOB_GPUS'),
  );
  return new Map([...all].filter(([name]) => !NOT_TOLD.includes(name)));
}
