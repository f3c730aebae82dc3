/**
 * `trainyard checkpoints`: what a job has kept, and what can be done with it. The yard looks and copies; which words
 * there are, and what is said about it, is here.
 */

import { printable } from '../../model/bytes.ts';
import type { JobRef } from '../../model/ids.ts';
import { displayId, type Job } from '../../model/job.ts';
import type { CheckpointsAnswer, CheckpointsAsk } from '../../model/keeping.ts';
import { absolutePath } from '../../model/paths.ts';
import { firstOf } from '../../model/ranges.ts';
import { RefusalError } from '../../model/refusal.ts';
import { keptFor } from '../keeping-words.ts';
import { KeepingMistake } from '../kept-directories.ts';
import { isGiven, lastGiven } from '../options.ts';
import { type Asking, askCheckpoints, clock, type Program, printErr, printOut } from '../program.ts';
import { counted, listed, quoted } from '../text/words.ts';
import type { Call, NativeCommand } from './call.ts';
import { checkpointJson, checkpointsTable, headText, summaryText } from './checkpoints-table.ts';
import { EXIT_OK, EXIT_REFUSED, refusalError, usageError } from './failure.ts';
import { printJson } from './json.ts';
import { findJob, oneJobRef } from './look-up.ts';
import { countFrom, textFrom } from './resource-words.ts';

type Deed = CheckpointsAsk['what'];

/** What each is for, and which options are its own. */
const DEEDS: Readonly<Record<Deed, readonly string[]>> = {
  list: [],
  restore: ['name', 'to'],
  prune: ['keep', 'keep-for'],
  verify: [],
  flush: [],
};

export const checkpoints: NativeCommand = {
  name: 'checkpoints',
  aliases: ['ckpt'],
  group: 'jobs',
  summary: 'what a job has kept of its training, to list, restore, prune, verify',
  usage: [
    'JOB',
    'restore JOB [--name NAME] [--to DIR]',
    'prune JOB [--keep N] [--keep-for TIME]',
    'verify JOB',
    'flush JOB',
  ],
  about: [
    'restore puts one, by default the newest that is whole, where the program looks for it, or elsewhere.',
    'prune removes old ones, never the last or the best; without options as the job said.',
    'verify reads every byte again; the exit code is 1 when something is damaged.',
    'flush copies what could not be copied when the run ended.',
  ],
  examples: [
    { line: 'trainyard checkpoints 17', says: 'step, age, size and state of each' },
    { line: 'trainyard checkpoints restore 17 --to /tmp/look', says: 'the newest whole one, to look at' },
    { line: 'trainyard checkpoints prune 17 --keep 1', says: 'make room' },
  ],
  options: [
    { name: 'name', value: 'required', argument: 'NAME', help: 'with restore: this one' },
    { name: 'to', value: 'required', argument: 'DIR', help: 'with restore: put it there' },
    {
      name: 'keep',
      value: 'required',
      argument: 'N',
      help: 'with prune: so many of the newest of each kind',
    },
    {
      name: 'keep-for',
      value: 'required',
      argument: 'TIME',
      help: 'with prune: those no older than this: 7d',
    },
  ],
  positionals: 'anywhere',
  arguments: 'some',
  run: runCheckpoints,
};

function* runCheckpoints(call: Call): Program {
  const { deed, ref } = deedAndJob(call);
  const asked = askFor(call, deed);
  const job = yield* jobWithCheckpoints(ref);
  const ask = asked.what === 'prune' ? retentionFor(asked, job) : asked;
  const answer = yield* askCheckpoints(job.id, ask);
  if (!answer.ok) throw new RefusalError(answer.refusal);
  const now = yield* clock();
  if (call.json) yield* printJson(answerJson(job, ask, answer));
  else if (call.quiet) yield* printQuietly(ask, answer);
  else if (deed === 'list' || deed === 'verify') yield* printList(call, job, ask, answer, now);
  else yield* printDone(call, job, ask, answer);
  return isBad(ask, answer) ? EXIT_REFUSED : EXIT_OK;
}

/** The deed stands before the job, or behind it. */
function deedAndJob({ positionals }: Call): { readonly deed: Deed; readonly ref: JobRef } {
  const isDeed = (word: string): word is Deed => Object.hasOwn(DEEDS, word);
  const deeds = positionals.filter(isDeed);
  const [deed = 'list'] = deeds;
  if (deeds.length > 1) throw usageError(`${listed(deeds)}: one thing at a time`);
  const jobs = positionals.filter((word) => !isDeed(word));
  const stranger = jobs.find((word) => /^[a-z]+$/i.test(word));
  if (stranger !== undefined) {
    throw usageError(
      `${quoted(stranger)} is neither a job nor something that can be done with checkpoints`,
      'a job is a number such as 17',
      Object.keys(DEEDS),
    );
  }
  return { deed, ref: oneJobRef(jobs, 'checkpoints') };
}

function askFor(call: Call, deed: Deed): CheckpointsAsk {
  const { options, invocation } = call;
  for (const [other, names] of Object.entries(DEEDS)) {
    const stray = other === deed ? undefined : names.find((name) => isGiven(options, name));
    if (stray !== undefined) throw usageError(`--${stray} goes with ${other}`);
  }
  switch (deed) {
    case 'restore': {
      const to = textFrom(options, 'to');
      return {
        what: 'restore',
        name: textFrom(options, 'name'),
        to: to === null ? null : absolutePath(invocation.workDir, to),
      };
    }
    case 'prune':
      return { what: 'prune', keepCount: countFrom(options, 'keep', 1), keepForMs: ageFrom(call) };
    case 'list':
    case 'verify':
    case 'flush':
      return { what: deed };
  }
}

/** Without a word about it, as the job said. */
function retentionFor(asked: Extract<CheckpointsAsk, { what: 'prune' }>, { spec }: Job): CheckpointsAsk {
  if (asked.keepCount !== null || asked.keepForMs !== null) return asked;
  const { keepCount = null, keepForMs = null } = spec.keeping ?? {};
  if (keepCount !== null || keepForMs !== null) return { what: 'prune', keepCount, keepForMs };
  throw usageError('how many are to stay?', 'say it with --keep 3 or --keep-for 7d');
}

function ageFrom({ options }: Call): number | null {
  const option = lastGiven(options, ['keep-for']);
  if (option === null) return null;
  try {
    return keptFor(option);
  } catch (error) {
    if (error instanceof KeepingMistake) throw usageError(error.message, error.hint);
    throw error;
  }
}

function* jobWithCheckpoints(ref: JobRef): Asking<Job> {
  const { detail, unstartedIndex } = yield* findJob(ref);
  const { job } = detail.view;
  if ((job.spec.keeping?.checkpoints ?? null) === null) {
    throw refusalError(
      'wrongState',
      `job ${displayId(job)} names no directory of checkpoints`,
      'a job names one in its script, #YARD checkpoints=DIR, or with --checkpoints DIR',
    );
  }
  if (unstartedIndex !== null) {
    throw refusalError('wrongState', `element ${unstartedIndex} of array ${job.id} has not started yet`);
  }
  if (job.array !== null) {
    throw refusalError(
      'badRequest',
      `job ${job.id} is an array, and each element has checkpoints of its own`,
      `name an element, as ${job.id}_${firstOf(job.spec.array?.indices ?? []) ?? 0}`,
    );
  }
  return job;
}

/** Whether whoever runs this should look: damage was found, or something could not be made safe. */
function isBad({ what }: CheckpointsAsk, { checkpoints, trouble }: CheckpointsAnswer): boolean {
  if (what === 'verify' && checkpoints.some(({ state }) => state === 'damaged')) return true;
  return what === 'flush' && trouble !== null;
}

function* printList(
  call: Call,
  job: Job,
  ask: CheckpointsAsk,
  answer: CheckpointsAnswer,
  now: number,
): Asking<void> {
  yield* printOut(headText(job, answer, call));
  for (const line of answer.done) yield* printOut(`${printable(line)}\n`);
  if (answer.checkpoints.length === 0) {
    const told = job.phase === 'ended' ? 'it has left none' : 'there are none yet';
    yield* printOut(`  ${told}; a program is told where to write them in TRAINYARD_CHECKPOINTS\n`);
    return;
  }
  yield* printOut(checkpointsTable(answer.checkpoints, now, call));
  yield* printOut(`${call.paint('grey', summaryText(answer.checkpoints, ask.what === 'verify'))}\n`);
}

function* printDone(call: Call, job: Job, ask: CheckpointsAsk, answer: CheckpointsAnswer): Asking<void> {
  const { done, trouble } = answer;
  const verb = ask.what === 'restore' ? 'restored' : ask.what === 'prune' ? 'removed' : 'copied';
  for (const line of done) yield* printOut(`${verb} ${printable(line)}\n`);
  if (done.length === 0) {
    if (trouble === null || ask.what === 'prune')
      yield* printOut(`nothing to be ${verb} of the checkpoints of job ${displayId(job)}\n`);
  } else if (ask.what === 'prune') {
    const left = answer.checkpoints.filter(({ state }) => state === 'kept').length;
    yield* printOut(`${call.paint('grey', `${counted(left, 'checkpoint')} left`)}\n`);
  }
  if (trouble !== null) yield* printErr(`${call.paint('red', 'trouble:')} ${printable(trouble)}\n`);
}

function* printQuietly({ what }: CheckpointsAsk, { checkpoints, done }: CheckpointsAnswer): Asking<void> {
  if (what === 'verify') return;
  const names = what === 'list' ? checkpoints.map(({ name }) => name) : done;
  yield* printOut(names.map((name) => `${printable(name)}\n`).join(''));
}

function answerJson(
  job: Job,
  { what }: CheckpointsAsk,
  { from, to, checkpoints, done, trouble }: CheckpointsAnswer,
): Record<string, unknown> {
  return {
    id: job.id,
    ref: displayId(job),
    what,
    from,
    to,
    checkpoints: checkpoints.map(checkpointJson),
    done,
    trouble,
  };
}
