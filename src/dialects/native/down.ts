/** `trainyard down`: stops the yard. Jobs that run go on without it, unless they are to be cancelled first. */

import type { JobId } from '../../model/ids.ts';
import { ANY_JOB } from '../../model/query.ts';
import { RefusalError } from '../../model/refusal.ts';
import { liveJobs } from '../job-pages.ts';
import { isGiven } from '../options.ts';
import { type Asking, awaitChange, command, type Program, printOut, query, stopYard } from '../program.ts';
import { counted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { printJson } from './json.ts';
import { LIVE_PHASES } from './states.ts';

const LOOK_AGAIN_MS = 1000;

export const down: NativeCommand = {
  name: 'down',
  aliases: [],
  group: 'yard',
  summary: 'stop the yard; jobs that run go on',
  usage: ['[options]'],
  about: ['The next command starts the yard again, and it finds its jobs as they are then.'],
  examples: [
    { line: 'trainyard down', says: 'stop the yard, leave the jobs alone' },
    { line: 'trainyard down --cancel', says: 'cancel every job, wait for their end, then stop' },
  ],
  options: [
    { name: 'cancel', value: 'none', help: 'cancel every job that waits or runs, and wait for their end' },
  ],
  positionals: 'anywhere',
  arguments: 'none',
  run: runDown,
};

function* runDown(call: Call): Program {
  const cancelled = isGiven(call.options, 'cancel') ? yield* cancelEverything(call) : 0;
  const { counts } = yield* query('yard', {});
  const waiting = counts.held + counts.waiting + counts.pending;
  // Said before it happens: afterwards there is nobody left to say it.
  if (call.json) yield* printJson({ stopped: true, cancelled, running: counts.active, waiting });
  else if (!call.quiet) yield* printOut(farewell(cancelled, counts.active, waiting));
  yield* stopYard();
  return 0;
}

function farewell(cancelled: number, running: number, waiting: number): string {
  const lines = [
    cancelled === 0 ? 'the yard stops' : `cancelled ${counted(cancelled, 'job')}; the yard stops`,
  ];
  if (running > 0)
    lines.push(`  ${counted(running, 'job')} ${running === 1 ? 'goes' : 'go'} on running without it`);
  if (waiting > 0)
    lines.push(`  ${counted(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'} until it is up again`);
  return `${lines.join('\n')}\n`;
}

/** Gives how many were cancelled, once they have all ended. */
function* cancelEverything(call: Call): Asking<number> {
  const asked = new Set<JobId>();
  for (;;) {
    const live = yield* liveJobs({ ...ANY_JOB, phases: LIVE_PHASES });
    if (live.length === 0) return asked.size;
    for (const { job } of live) {
      if (asked.has(job.id)) continue;
      asked.add(job.id);
      const result = yield* command({
        type: 'cancel',
        target: { job: job.id, index: null },
        by: call.invocation.user,
      });
      if (!result.ok && result.refusal.code !== 'wrongState') throw new RefusalError(result.refusal);
    }
    yield* awaitChange(
      live.map(({ job }) => job.id),
      LOOK_AGAIN_MS,
    );
  }
}
