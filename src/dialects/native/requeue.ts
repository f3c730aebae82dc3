/** `trainyard requeue`: stops a running job and queues it once more, or queues an ended one again. */

import { isGiven } from '../options.ts';
import type { Call, NativeCommand } from './call.ts';
import { doToJobs } from './targets.ts';

export const requeue: NativeCommand = {
  name: 'requeue',
  aliases: ['restart'],
  group: 'jobs',
  summary: 'run jobs once more, under the same number',
  usage: ['[options] JOB…'],
  about: ['A running job is stopped first; one that has ended is queued again.'],
  examples: [
    { line: 'trainyard requeue 17', says: 'stop it and start it anew' },
    { line: 'trainyard requeue --hold 17', says: 'queue it, but keep it there' },
  ],
  options: [{ name: 'hold', short: 'H', value: 'none', help: 'hold it once it is back in the queue' }],
  positionals: 'anywhere',
  arguments: 'some',
  run: (call: Call) => {
    const held = isGiven(call.options, 'hold');
    return doToJobs(call, {
      verb: 'requeue',
      commandFor: (target) => ({ type: 'requeue', target, by: call.invocation.user, hold: held }),
      done: (job, changed) => {
        if (!changed) return `job ${job} is in the queue already`;
        return held ? `job ${job} is queued again, and held` : `job ${job} is queued again`;
      },
      phases: [],
    });
  },
};
