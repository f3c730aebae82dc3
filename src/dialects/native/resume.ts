/** `trainyard resume`: lets suspended jobs go on. */

import type { Call, NativeCommand } from './call.ts';
import { doToJobs, TARGET_OPTIONS } from './targets.ts';

export const resume: NativeCommand = {
  name: 'resume',
  aliases: [],
  group: 'jobs',
  summary: 'let suspended jobs go on',
  usage: ['JOB…', '--all | --name NAME | --user USER | --queue QUEUE'],
  about: [],
  examples: [{ line: 'trainyard resume 17', says: 'from where it was suspended' }],
  options: TARGET_OPTIONS,
  positionals: 'anywhere',
  arguments: 'some',
  run: (call: Call) =>
    doToJobs(call, {
      verb: 'resume',
      commandFor: (target) => ({ type: 'resume', target, by: call.invocation.user }),
      done: (job, changed) => (changed ? `job ${job} goes on` : `job ${job} was not suspended`),
      phases: ['active'],
    }),
};
