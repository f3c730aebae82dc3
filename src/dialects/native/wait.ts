/** `trainyard wait`: returns when jobs have ended, with the exit code of the one that fared worst. */

import { printable } from '../../model/bytes.ts';
import type { JobRef } from '../../model/ids.ts';
import type { JobDetail } from '../../model/query.ts';
import { type Asking, clock, type Program, printOut } from '../program.ts';
import type { Call, NativeCommand } from './call.ts';
import { usageError } from './failure.ts';
import { jobJson, printJson } from './json.ts';
import { findJob, parseJobRefs, refText } from './look-up.ts';
import { awaitEnd, endedSentence, exitStatusOf } from './waiting.ts';

export const wait: NativeCommand = {
  name: 'wait',
  aliases: [],
  group: 'jobs',
  summary: 'wait until jobs have ended',
  usage: ['[options] JOB…'],
  about: [
    'Returns the exit code of the job, 128 and the signal if one ended it, and never 0 for a job that',
    'did not complete. Of several jobs, and of the elements of an array, the highest counts.',
  ],
  examples: [
    { line: 'trainyard wait 17', says: 'wait for one job' },
    { line: 'trainyard wait -q 17 18 && trainyard submit report.sh', says: 'go on only if both went well' },
  ],
  options: [],
  positionals: 'anywhere',
  arguments: 'some',
  run: runWait,
};

function* runWait(call: Call): Program {
  const refs = parseJobRefs(call.positionals);
  if (refs.length === 0) throw usageError('wait needs a job', 'for example: trainyard wait 17');
  // A job that does not exist is said at once, not after the others have ended.
  for (const ref of refs) yield* findJob(ref);
  return yield* waitForJobs(call, refs);
}

export function* waitForJobs(call: Call, refs: readonly JobRef[]): Asking<number> {
  const ended = new Map<string, JobDetail>();
  yield* awaitEnd(refs, function* (ref, detail) {
    ended.set(refText(ref), detail);
    if (!call.quiet && !call.json) yield* printOut(`${printable(endedSentence(detail))}\n`);
  });
  const details = refs.flatMap((ref) => ended.get(refText(ref)) ?? []);
  const exitCode = details.reduce((worst, detail) => Math.max(worst, exitStatusOf(detail)), 0);
  if (call.json) {
    const now = yield* clock();
    const jobs = details.map((detail) => ({
      ...jobJson(detail.view, now, call.zone),
      exitCode: exitStatusOf(detail),
    }));
    yield* printJson({ jobs, exitCode });
  }
  return exitCode;
}
