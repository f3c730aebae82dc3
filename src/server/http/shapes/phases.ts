/** Where a job can be, and how it can end. */

import type { JobPhase, Outcome } from '../../../model/job.ts';

export const PHASES = [
  'held',
  'waiting',
  'pending',
  'active',
  'ended',
] as const satisfies readonly JobPhase[];

export const OUTCOMES = [
  'completed',
  'failed',
  'cancelled',
  'timeout',
  'outOfMemory',
  'deviceOutOfMemory',
  'preempted',
  'nodeLost',
  'dependencyFailed',
  'deadline',
] as const satisfies readonly Outcome[];
