/** `trainyard cancel`: ends jobs, or takes them out of the queue. */

import type { Call, NativeCommand } from './call.ts';
import { LIVE_PHASES } from './states.ts';
import { doToJobs, TARGET_OPTIONS } from './targets.ts';

export const cancel: NativeCommand = {
  name: 'cancel',
  aliases: ['kill', 'rm'],
  group: 'jobs',
  summary: 'end jobs, or take them out of the queue',
  usage: ['JOB…', '--all | --name NAME | --user USER | --queue QUEUE'],
  about: ['A running job is asked to end (SIGTERM), and killed when it has not ended after the grace time.'],
  examples: [
    { line: 'trainyard cancel 17', says: 'one job' },
    { line: 'trainyard cancel 20_3 20_[7-9]', says: 'some elements of an array' },
    { line: 'trainyard cancel --name sweep', says: 'all of yours with this name' },
  ],
  options: TARGET_OPTIONS,
  positionals: 'anywhere',
  arguments: 'some',
  run: (call: Call) =>
    doToJobs(call, {
      verb: 'cancel',
      commandFor: (target) => ({ type: 'cancel', target, by: call.invocation.user }),
      done: (job, changed) =>
        changed ? `cancelled job ${job}` : `job ${job} has ended already, or is about to`,
      phases: LIVE_PHASES,
    }),
};
