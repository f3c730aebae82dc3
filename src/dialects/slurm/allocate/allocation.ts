/** Handing in a job whose place `srun` or `salloc` will use itself, and waiting for that place. */

import type { JobSpec } from '../../../model/job-spec.ts';
import { type Allocation, type AllocationCustoms, awaitAllocation } from '../../allocation.ts';
import type { Asking } from '../../program.ts';
import { submitJob } from '../submit/submission.ts';

export function* allocate(spec: JobSpec, customs: AllocationCustoms): Asking<Allocation> {
  const { job } = yield* submitJob(spec);
  return yield* awaitAllocation(job, customs);
}
