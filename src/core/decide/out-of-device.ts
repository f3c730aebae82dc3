/**
 * A program that wanted more memory of a GPU than was left. Where it had only a part of the device, what its kind is taken
 * to use is raised, and it runs again with the device to itself; where it had all of it, that is its end.
 */

import type { Attempt, Exit, Usage } from '../../model/job.ts';
import { learnFromRunningOut } from '../footprints/learn.ts';
import { WHOLE_DEVICE_MILLIS } from '../ledger.ts';
import { record, type Turn } from '../turn.ts';
import type { Run } from './advance.ts';
import { startAgain } from './run-again.ts';

export function ranOutOfDevice(
  { policy }: Turn,
  attempt: Attempt,
  { code, deviceOutOfMemory }: Exit,
): boolean {
  const hasDevices = attempt.placement.nodes.some(({ devices }) => devices.length > 0);
  if (!hasDevices) return false;
  return deviceOutOfMemory === true || (code !== null && policy.gpu.outOfMemoryExitCodes.includes(code));
}

/** False: it had whole devices, or may not run again. */
export function runsAgainAlone(turn: Turn, run: Run, usage: Usage | null): boolean {
  const { job, attempt } = run;
  const { gpus } = job.spec.resources;
  if (gpus === null || !sharedOne(attempt)) return false;
  learnFromRunningOut(turn, job, attempt, usage);
  if (!job.spec.requeue || job.spec.program.spread === 'caller') return false;
  const whole = { ...gpus, sharing: 'whole', shareMillis: WHOLE_DEVICE_MILLIS } as const;
  record(turn, {
    type: 'jobUpdated',
    job: job.id,
    changes: { resources: { ...job.spec.resources, gpus: whole } },
    by: 'the yard',
  });
  startAgain(turn, run, 'it ran out of the memory of a GPU that it shared, and has one to itself now');
  return true;
}

function sharedOne({ placement }: Attempt): boolean {
  return placement.nodes.some(({ devices }) => devices.some(({ millis }) => millis < WHOLE_DEVICE_MILLIS));
}
