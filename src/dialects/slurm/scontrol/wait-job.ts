/** `scontrol wait_job JOB`: until its nodes are ready, which here is when it runs, or it has ended. */

import { isLive } from '../../../model/job.ts';
import { type Asking, awaitChange, printErr } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { findJob } from '../find-job.ts';
import { parseJobWord } from '../job-words.ts';
import { atLeast, atMost, type Call, EXIT_FAILED, EXIT_OK } from './call.ts';

/** A change may be about something else; it is looked at again after this at the latest. */
const LOOK_AGAIN_MS = 1000;

export function* waitJob(call: Call): Asking<number> {
  atLeast(call, 1);
  atMost(call, 1);
  const [word = ''] = call.words;
  const parsed = parseJobWord(word);
  if (parsed === null) throw new SlurmFailure([`Invalid job_id ${word}`], EXIT_FAILED);
  const index = parsed.indices?.[0]?.[0] ?? null;
  for (;;) {
    const view = yield* findJob({ job: parsed.job, index });
    if (view === null) return yield* say(call, `Problem running job ${parsed.job}`, EXIT_FAILED);
    const { attempt, phase } = view.job;
    if (phase !== 'active') return yield* say(call, `Job ${parsed.job} no longer running`, EXIT_FAILED);
    if (isLive(attempt) && attempt.startedAt !== null)
      return yield* say(call, `Nodes are ready for job ${parsed.job}`, EXIT_OK);
    yield* awaitChange([view.job.id], LOOK_AGAIN_MS);
  }
}

function* say({ manner }: Call, sentence: string, exitCode: number): Asking<number> {
  if (!manner.quiet) yield* printErr(`scontrol: ${sentence}\n`);
  return exitCode;
}
