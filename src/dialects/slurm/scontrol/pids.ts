/** `scontrol listpids` and `pidinfo`: between jobs and the processes that they run on this machine. */

import type { JobView } from '../../../model/query.ts';
import { ANY_JOB } from '../../../model/query.ts';
import { liveJobs } from '../../job-pages.ts';
import { type Asking, clock, printErr, printOut, query } from '../../program.ts';
import { SlurmFailure } from '../failure.ts';
import { jobFacts } from '../job-facts.ts';
import { parseStepWord, type StepWord } from '../job-words.ts';
import { headingText } from '../moments.ts';
import { atMost, type Call, complain, EXIT_FAILED, EXIT_OK } from './call.ts';

const HEADING = 'PID      JOBID    STEPID   LOCALID GLOBALID\n';

interface Process {
  readonly pid: number;
  readonly view: JobView;
  readonly step: string;
  readonly rank: number;
}

export function* listPids(call: Call): Asking<number> {
  atMost(call, 2);
  const [word = '*'] = call.words;
  const wanted = word === '*' ? null : readWord(word);
  const found = (yield* processes()).filter((process) => wanted === null || isMeant(process, wanted));
  const lines = found.map(rowOf);
  yield* printOut(`${HEADING}${lines.join('')}`);
  if (found.length > 0 || wanted === null) return EXIT_OK;
  const sentence =
    wanted.step === null
      ? `There are no steps for job ${wanted.text}`
      : `StepId=${wanted.text} does not exist`;
  yield* printErr(`${sentence} on node ${call.words[1] ?? '(null)'}.\n`);
  return EXIT_FAILED;
}

function readWord(word: string): StepWord {
  const parsed = parseStepWord(word);
  if (parsed === null) throw new SlurmFailure([`"${word}" does not look like a jobid`], EXIT_FAILED);
  return parsed;
}

function isMeant({ view, step }: Process, wanted: StepWord): boolean {
  const { id, element } = view.job;
  const index = wanted.indices?.[0]?.[0] ?? null;
  const isJob =
    index === null
      ? id === wanted.job || element?.array === wanted.job
      : element?.array === wanted.job && element.index === index;
  return isJob && (wanted.step === null || step === `${wanted.step}`);
}

/** On several nodes the rank alone does not tell which of its node's it is. */
function rowOf({ pid, view, step, rank }: Process): string {
  const isOnOneNode = view.job.attempt?.placement.nodes.length === 1;
  const ids = [`${pid}`, `${view.job.id}`, step].map((text) => text.padEnd(9)).join('');
  const ranks = [isOnOneNode ? `${rank}` : '-', `${rank}`].map((text) => text.padEnd(8)).join('');
  return `${ids}${ranks}\n`;
}

export function* pidInfo(call: Call): Asking<number> {
  const [word] = call.words;
  if (word === undefined)
    throw new SlurmFailure([`missing argument for keyword:${call.keyword}`], EXIT_FAILED);
  atMost(call, 1);
  const found = (yield* processes()).find(({ pid }) => `${pid}` === word);
  if (found === undefined) return yield* complain(call, 'Failed to locate job for requested pid');
  const now = yield* clock();
  const { endAt, job } = jobFacts(found.view, now);
  const end = endAt === null ? 'Unknown' : headingText(endAt, call.invocation.timeZone);
  yield* printOut(`Slurm job id ${job.id} ends at ${end}\n`);
  if (endAt !== null)
    yield* printOut(`slurm_get_rem_time is ${Math.max(0, Math.floor((endAt - now) / 1000))}\n`);
  return EXIT_OK;
}

function* processes(): Asking<readonly Process[]> {
  const views = yield* liveJobs({ ...ANY_JOB, phases: ['active'] });
  const found: Process[] = [];
  for (const view of views) {
    if (view.job.attempt === null) continue;
    const usage = yield* query('usage', { ref: { job: view.job.id, index: null } });
    for (const { step, rank, pids } of usage?.parts ?? [])
      found.push(...pids.map((pid) => ({ pid, view, step: step === null ? 'batch' : `${step}`, rank })));
  }
  return found;
}
