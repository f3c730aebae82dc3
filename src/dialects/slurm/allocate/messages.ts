/** What `srun` and `salloc` say while they wait for a place, each in its own words. Whole lines. */

import type { WaitingMessages } from '../../allocation.ts';

const HELD = 'Job is in held state, pending scheduler release';
const DONE = 'Job/step already completing or completed';
const BUSY = 'Unable to allocate resources: Requested nodes are busy';

export const SRUN_MESSAGES: WaitingMessages = {
  queued: (job, isHeld) => [
    ...(isHeld ? [`srun: ${HELD}`] : []),
    `srun: job ${job} queued and waiting for resources`,
  ],
  allocated: (job) => [`srun: job ${job} has been allocated resources`],
  busy: () => [`srun: error: ${BUSY}`],
  late: () => [`srun: error: ${BUSY}`],
  interrupted: (job) => [
    `srun: Job allocation ${job} has been revoked`,
    `srun: Force Terminated JobId=${job}`,
  ],
  revoked: () => ['srun: Job has been cancelled', `srun: error: Unable to allocate resources: ${DONE}`],
};

export const SALLOC_MESSAGES: WaitingMessages = {
  queued: (job, isHeld) => [
    ...(isHeld ? [`salloc: ${HELD}`] : []),
    `salloc: Pending job allocation ${job}`,
    `salloc: job ${job} queued and waiting for resources`,
  ],
  allocated: (job) => [`salloc: job ${job} has been allocated resources`],
  busy: (job) => [`salloc: error: ${BUSY}`, `salloc: Job allocation ${job} has been revoked.`],
  late: (job) => [
    'salloc: error: Unable to allocate resources: Connection timed out',
    `salloc: Job allocation ${job} has been revoked.`,
  ],
  interrupted: (job) => [
    `salloc: Job allocation ${job} has been revoked.`,
    'salloc: Job aborted due to signal',
  ],
  revoked: (job) => [
    'salloc: Job has been cancelled',
    `salloc: Job allocation ${job} has been revoked.`,
    `salloc: error: Job submit/allocate failed: ${DONE}`,
  ],
};
