/** `trainyard release`: lets held jobs start again. */

import type { Call, NativeCommand } from './call.ts';
import { doToJobs, TARGET_OPTIONS } from './targets.ts';

export const release: NativeCommand = {
  name: 'release',
  aliases: [],
  group: 'jobs',
  summary: 'let held jobs start',
  usage: ['JOB…', '--all | --name NAME | --user USER | --queue QUEUE'],
  about: [],
  examples: [{ line: 'trainyard release --all', says: 'everything of yours that is held' }],
  options: TARGET_OPTIONS,
  positionals: 'anywhere',
  arguments: 'some',
  run: (call: Call) =>
    doToJobs(call, {
      verb: 'release',
      commandFor: (target) => ({ type: 'release', target, by: call.invocation.user }),
      done: (job, changed) => (changed ? `released job ${job}` : `job ${job} was not held`),
      phases: ['held'],
    }),
};
