/** `scontrol completing`: jobs that are coming to their end, since when, and where. */

import { displayId } from '../../../model/job.ts';
import { ANY_JOB } from '../../../model/query.ts';
import { liveJobs } from '../../job-pages.ts';
import { type Asking, clock, printOut } from '../../program.ts';
import { fullClockText } from '../durations.ts';
import { foldHosts } from '../host-list.ts';
import { stateOf } from '../states.ts';
import { atMost, type Call, EXIT_OK } from './call.ts';
import { toldMoments } from './told-moments.ts';

export function* completing(call: Call): Asking<number> {
  atMost(call, 0);
  const now = yield* clock();
  const moment = yield* toldMoments(call);
  const views = yield* liveJobs({ ...ANY_JOB, phases: ['active'] });
  for (const { job } of views) {
    const { attempt } = job;
    if (attempt === null || stateOf(job).name !== 'COMPLETING') continue;
    const since = attempt.stop?.requestedAt ?? attempt.endedAt;
    const endTime = since === null ? 'Unknown' : moment(since);
    const nodes = foldHosts(attempt.placement.nodes.map(({ node }) => node));
    yield* printOut(
      `JobId=${displayId(job)} EndTime=${endTime} CompletingTime=${fullClockText(now - (since ?? now))} Nodes(COMPLETING)=${nodes} \n`,
    );
  }
  return EXIT_OK;
}
