/** `scontrol notify JOB MESSAGE`: a line in the output of a running job. */

import { bytesFromText, printable } from '../../../model/bytes.ts';
import { isLive } from '../../../model/job.ts';
import { type Asking, appendToFile } from '../../program.ts';
import { findJob } from '../find-job.ts';
import { hasBatchStep } from '../job-facts.ts';
import { parseJobWord } from '../job-words.ts';
import { atLeast, type Call, complain, EXIT_OK } from './call.ts';
import { COMPLETED, DISABLED, NO_SUCH_JOB, WRONG_USER } from './sentences.ts';

export function* notify(call: Call): Asking<number> {
  atLeast(call, 2);
  const [word = '', ...message] = call.words;
  const parsed = parseJobWord(word);
  const index = parsed?.indices?.[0]?.[0] ?? null;
  const view = parsed === null ? null : yield* findJob({ job: parsed.job, index });
  if (view === null) return yield* refuse(call, NO_SUCH_JOB);
  const { job } = view;
  const { user } = call.invocation;
  if (job.spec.user !== user && user !== 'root') return yield* refuse(call, WRONG_USER);
  if (job.phase === 'ended') return yield* refuse(call, COMPLETED);
  // Whoever asked for a place alone has their own terminal, which nobody else may write to.
  if (!isLive(job.attempt) || job.attempt.startedAt === null || !hasBatchStep(job))
    return yield* refuse(call, DISABLED);
  const line = `slurmstepd: error: ${printable(message.join(' '))}\n`;
  const written = yield* appendToFile(view.stderrPath ?? view.stdoutPath, bytesFromText(line));
  return written.ok ? EXIT_OK : yield* refuse(call, 'Communication connection failure');
}

function* refuse(call: Call, sentence: string): Asking<number> {
  return yield* complain(call, `job notify failure: ${sentence}`);
}
