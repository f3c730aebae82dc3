/** `trainyard hold`: keeps waiting jobs from starting. */

import type { Call, NativeCommand } from './call.ts';
import { doToJobs, TARGET_OPTIONS } from './targets.ts';

export const hold: NativeCommand = {
  name: 'hold',
  aliases: [],
  group: 'jobs',
  summary: 'keep waiting jobs from starting',
  usage: ['JOB…', '--all | --name NAME | --user USER | --queue QUEUE'],
  about: [],
  examples: [{ line: 'trainyard hold 17', says: 'it stays in the queue until `trainyard release 17`' }],
  options: TARGET_OPTIONS,
  positionals: 'anywhere',
  arguments: 'some',
  run: (call: Call) =>
    doToJobs(call, {
      verb: 'hold',
      commandFor: (target) => ({ type: 'hold', target, by: call.invocation.user }),
      done: (job, changed) => (changed ? `job ${job} is held` : `job ${job} was held before`),
      phases: ['waiting', 'pending'],
    }),
};
