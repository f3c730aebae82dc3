/** Showing a job's output until it ends, and ending as it did: for `submit --follow` and `logs --follow`. */

import { printable } from '../../model/bytes.ts';
import type { JobRef } from '../../model/ids.ts';
import type { JobView } from '../../model/query.ts';
import { type Asking, clock, printErr } from '../program.ts';
import type { Call } from './call.ts';
import { printNote } from './failure.ts';
import { refText } from './look-up.ts';
import { followOutput, type Source } from './output.ts';
import { shortReason } from './reasons.ts';
import { endedSentence, exitStatusOf } from './waiting.ts';

/** Both streams; the exit code is the job's. */
export function* followJob(call: Call, ref: JobRef): Asking<number> {
  const detail = yield* followOutput({
    ref,
    sourcesOf: bothStreams,
    lines: null,
    onWaiting: (view) => sayItWaits(call, ref, view),
  });
  const status = exitStatusOf(detail);
  if (!call.quiet && status !== 0) yield* printErr(`trainyard: ${printable(endedSentence(detail))}\n`);
  return status;
}

export function* sayItWaits(call: Call, ref: JobRef, view: JobView): Asking<void> {
  if (call.quiet || view.reason === null) return;
  const now = yield* clock();
  yield* printNote(`job ${refText(ref)} waits: ${shortReason(view.reason, now, call.zone)}`, call.paint);
}

function bothStreams(view: JobView): readonly Source[] {
  const stdout: Source = { path: view.stdoutPath, to: 'stdout' };
  return view.stderrPath === null ? [stdout] : [stdout, { path: view.stderrPath, to: 'stderr' }];
}
