/** Staying until a job has ended, for `sbatch --wait`. */

import type { JobId } from '../../../model/ids.ts';
import type { Job } from '../../../model/job.ts';
import { ANY_JOB, type JobDetail } from '../../../model/query.ts';
import { type Asking, awaitChange, query } from '../../program.ts';

/** A change wakes us; looking again now and then costs little. */
const LOOK_AGAIN_MS = 10_000;

/** The exit code of the job; of an array the highest of its elements. */
export function* awaitExitCode(id: JobId): Asking<number> {
  const ref = { job: id, index: null };
  for (;;) {
    const live = yield* query('jobs', { ...ANY_JOB, refs: [ref] });
    if (live.every(({ job }) => job.id !== id || job.phase === 'ended')) {
      const detail = yield* query('job', { ref });
      if (detail === null || detail.view.job.phase === 'ended') return exitCodeOf(detail);
    }
    yield* awaitChange([id], LOOK_AGAIN_MS);
  }
}

function exitCodeOf(detail: JobDetail | null): number {
  if (detail === null) return 0;
  const { job } = detail.view;
  if (job.array === null) return ownExitCode(job);
  return Math.max(0, ...detail.elements.map((element) => ownExitCode(element.job)));
}

/** What was ended by a signal counts as 1, and what never ran as 0: so does the original. */
function ownExitCode({ outcome, attempt }: Job): number {
  if (attempt === null || outcome === 'completed') return 0;
  const code = attempt.exit?.code ?? null;
  return code === null || code === 0 ? 1 : code;
}
