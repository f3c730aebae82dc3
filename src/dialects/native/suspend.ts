/** `trainyard suspend`: stops running jobs where they are. */

import type { Call, NativeCommand } from './call.ts';
import { doToJobs, TARGET_OPTIONS } from './targets.ts';

export const suspend: NativeCommand = {
  name: 'suspend',
  aliases: [],
  group: 'jobs',
  summary: 'stop running jobs where they are',
  usage: ['JOB…', '--all | --name NAME | --user USER | --queue QUEUE'],
  about: ['A suspended job keeps its CPUs, memory and GPUs. Its time limit stands still.'],
  examples: [{ line: 'trainyard suspend 17', says: 'it goes on after `trainyard resume 17`' }],
  options: TARGET_OPTIONS,
  positionals: 'anywhere',
  arguments: 'some',
  run: (call: Call) =>
    doToJobs(call, {
      verb: 'suspend',
      commandFor: (target) => ({ type: 'suspend', target, by: call.invocation.user }),
      done: (job, changed) => (changed ? `job ${job} is suspended` : `job ${job} was suspended before`),
      phases: ['active'],
    }),
};
