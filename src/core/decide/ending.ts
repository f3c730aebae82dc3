/** The end of a job, and what follows from it for its array. Those that waited for it are told in waiting.ts. */

import type { JobId } from '../../model/ids.ts';
import type { Attempt, Job, Outcome } from '../../model/job.ts';
import { invariant } from '../../model/refusal.ts';
import { jobOf } from '../state.ts';
import { record, type Turn } from '../turn.ts';

/** It ended by itself, and well; what it left may still be being made safe. */
export function hasSucceeded({ stop, exit, fault }: Attempt): boolean {
  return (
    stop === null &&
    exit?.code === 0 &&
    !exit.outOfMemory &&
    exit.deviceOutOfMemory !== true &&
    fault === null
  );
}

export function endJob(
  turn: Turn,
  id: JobId,
  outcome: Outcome,
  note: string | null,
  by: string | null,
): void {
  const job = jobOf(turn.state, id);
  if (job.array !== null && job.array.unstarted.length > 0)
    record(turn, { type: 'unstartedDropped', job: id, outcome, by });
  if (job.array !== null && job.array.live > 0) return;
  record(turn, { type: 'jobEnded', job: id, outcome, note, by });
  const ended = jobOf(turn.state, id);
  turn.news.push(ended);
  if (ended.element !== null) endArrayIfDone(turn, ended.element.array);
}

function endArrayIfDone(turn: Turn, id: JobId): void {
  const array = jobOf(turn.state, id);
  invariant(array.array !== null, `job ${id} is not an array`);
  if (array.phase === 'ended' || array.array.live > 0 || array.array.unstarted.length > 0) return;
  endJob(turn, id, arrayOutcome(array), null, null);
}

/** The worst that happened to any element. */
function arrayOutcome({ array }: Job): Outcome {
  const ended = array?.ended ?? {};
  return SEVERITY.find((outcome) => (ended[outcome] ?? 0) > 0) ?? 'completed';
}

const SEVERITY: readonly Outcome[] = [
  'failed',
  'outOfMemory',
  'deviceOutOfMemory',
  'nodeLost',
  'timeout',
  'deadline',
  'preempted',
  'dependencyFailed',
  'cancelled',
];
