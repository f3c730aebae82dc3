/** Handing a job to the yard, and trying whether it could run; what the yard refuses is said in the master's words. */

import type { JobId } from '../../../model/ids.ts';
import type { JobSpec } from '../../../model/job-spec.ts';
import type { Refusal } from '../../../model/refusal.ts';
import { type Asking, command, printErr, printOut, query } from '../../program.ts';
import type { GridEngineFailure } from '../failure.ts';
import { rejected } from './complaints.ts';
import { tooManyTasks } from './job-request.ts';
import { unknownQueue } from './queue-lists.ts';
import type { Surroundings } from './surroundings.ts';

/** How much is asked about a job before it is submitted: `-w`. */
export type Validation = 'e' | 'w' | 'n' | 'p' | 'v';

/** Throws what was said against it. */
export function* submitJob(spec: JobSpec, validation: Validation, around: Surroundings): Asking<JobId> {
  const result = yield* command({ type: 'submit', spec });
  if (result.ok) return result.job as JobId;
  throw submissionRefused(result.refusal, spec, validation, around);
}

const NO_QUEUES = 'no suitable queues';

function submissionRefused(
  refusal: Refusal,
  spec: JobSpec,
  validation: Validation,
  { policy }: Surroundings,
): GridEngineFailure {
  switch (refusal.code) {
    case 'noSuchQueue':
      return rejected(unknownQueue(spec.queue));
    case 'noSuchAccount':
      return rejected(`job rejected: the requested project "${spec.account ?? ''}" does not exist`);
    case 'neverPossible':
      // Without `-w e` the original takes such a job and leaves it waiting for ever; here it is told why not.
      return validation === 'e'
        ? rejected(`error: ${NO_QUEUES}`)
        : rejected(`error: ${NO_QUEUES}`, refusal.message);
    default:
      if (refusal.about === 'arraySize') return rejected(tooManyTasks(policy.maxArraySize));
      return rejected(`job rejected: ${refusal.message}`);
  }
}

/** `-w v`: whether it could ever run; `-w p`: whether it could run now. Nothing is submitted. */
export function* printVerification(spec: JobSpec, validation: 'v' | 'p', now: number): Asking<number> {
  const why = yield* whyNoQueue(spec, validation, now);
  if (why !== null) throw rejected(why, `verification: ${NO_QUEUES}`);
  yield* printOut('verification: found suitable queue(s)\n');
  return 0;
}

/** Why no queue will do: ever, or with `-w p` at this moment. Null: one will. */
export function* whyNoQueue(spec: JobSpec, validation: Validation, now: number): Asking<string | null> {
  const trial = yield* query('trial', { spec });
  if (!trial.ok) return trial.refusal.message;
  const startsNow = trial.placement !== null && (trial.startAt ?? now) <= now;
  return validation !== 'p' || startsNow ? null : 'what it asks for is in use at present';
}

/** `-w w`: says that it can never run, ahead of trying. */
export function* warnOfNoQueue(spec: JobSpec): Asking<void> {
  const trial = yield* query('trial', { spec });
  if (!trial.ok && trial.refusal.code === 'neverPossible') yield* printErr(`warning: ${NO_QUEUES}\n`);
}
