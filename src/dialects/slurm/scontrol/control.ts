/** `hold`, `uhold`, `release`, `requeue`, `requeuehold`, `suspend`, `resume`: one thing done to jobs, one by one. */

import type { UserCommand } from '../../../model/command.ts';
import type { JobRef } from '../../../model/ids.ts';
import { ANY_JOB, type JobView } from '../../../model/query.ts';
import { liveJobs } from '../../job-pages.ts';
import { type Asking, command, printErr } from '../../program.ts';
import { findJob } from '../find-job.ts';
import { splitOutsideBrackets } from '../host-list.ts';
import { hasBatchStep, jobFacts } from '../job-facts.ts';
import { parseJobWord, refsOf, refText } from '../job-words.ts';
import { atLeast, type Call, complain, EXIT_FAILED, EXIT_OK } from './call.ts';
import { BATCH_ONLY, type Deed, DISABLED, NO_SUCH_JOB, NOT_SUSPENDED, sentenceFor } from './sentences.ts';

interface JobDeed {
  readonly deed: Deed;
  readonly commandFor: (target: JobRef, by: string) => UserCommand;
  /** Says no before the yard is asked; null: it may be. */
  readonly objection: (view: JobView) => string | null;
  /** What is said when nothing was left to do; null: nothing. */
  readonly unchanged: string | null;
  /** Whether `jobname=NAME` is understood, and failures are summed up in a last line. */
  readonly named: boolean;
}

export const hold: JobDeed = {
  deed: 'hold',
  commandFor: (target, by) => ({ type: 'hold', target, by }),
  objection: () => null,
  unchanged: null,
  named: true,
};

export const release: JobDeed = {
  deed: 'release',
  commandFor: (target, by) => ({ type: 'release', target, by }),
  objection: () => null,
  unchanged: null,
  named: true,
};

export const suspend: JobDeed = {
  deed: 'suspend',
  commandFor: (target, by) => ({ type: 'suspend', target, by }),
  objection: () => null,
  unchanged: null,
  named: false,
};

export const resume: JobDeed = {
  deed: 'resume',
  commandFor: (target, by) => ({ type: 'resume', target, by }),
  objection: () => null,
  unchanged: NOT_SUSPENDED,
  named: false,
};

function requeue(andHold: boolean): JobDeed {
  return {
    deed: 'requeue',
    commandFor: (target, by) => ({ type: 'requeue', target, by, hold: andHold }),
    objection: ({ job }) => {
      if (!hasBatchStep(job)) return BATCH_ONLY;
      return job.spec.requeue ? null : DISABLED;
    },
    unchanged: null,
    named: false,
  };
}

/** What becomes of each job is said, and the others are done all the same. */
export function doTo(deed: JobDeed): (call: Call) => Asking<number> {
  return function* (call) {
    atLeast(call, 1);
    return yield* doToWords(call, deed, call.words);
  };
}

/** `requeue [Incomplete] JOBS`, `requeuehold [Incomplete] [State=SpecialExit] JOBS`. */
export function requeueKeyword(andHold: boolean): (call: Call) => Asking<number> {
  return function* (call) {
    atLeast(call, 1);
    const isOption = (word: string) => /^(?:incomplete|state=.*)$/i.test(word);
    const words = call.words.filter((word) => !isOption(word));
    const options = call.words.filter(isOption);
    if (options.some((option) => /^state=/i.test(option)))
      yield* printErr(`scontrol: warning: a job has no special state here: it is held\n`);
    const unended = options.some((option) => /^incomplete$/i.test(option));
    return yield* doToWords(call, requeue(andHold), words, unended);
  };
}

function* doToWords(
  call: Call,
  deed: JobDeed,
  words: readonly string[],
  onlyUnended = false,
): Asking<number> {
  let exitCode = EXIT_OK;
  let lastSentence: string | null = null;
  for (const word of words.flatMap((each) => (isNameWord(each) ? [each] : splitOutsideBrackets(each)))) {
    if (deed.named && isNameWord(word)) {
      for (const ref of yield* jobsNamed(word.slice(word.indexOf('=') + 1)))
        if ((yield* doToJob(call, deed, ref, refText(ref), onlyUnended)) !== null) exitCode = EXIT_FAILED;
      continue;
    }
    const parsed = parseJobWord(word);
    if (parsed === null) {
      exitCode = yield* complain(call, `${NO_SUCH_JOB} for job ${word}`);
      lastSentence = NO_SUCH_JOB;
      continue;
    }
    for (const ref of refsOf(parsed)) {
      const refused = yield* doToJob(call, deed, ref, word, onlyUnended);
      if (refused === null) continue;
      exitCode = EXIT_FAILED;
      if (refused.style === 'plain') lastSentence = refused.sentence;
    }
  }
  if (deed.named && lastSentence !== null) yield* complain(call, `slurm_suspend error: ${lastSentence}`);
  return exitCode;
}

function isNameWord(word: string): boolean {
  return /^(?:job)?name=/i.test(word);
}

function* jobsNamed(name: string): Asking<readonly JobRef[]> {
  if (name === '') return [];
  const phases = ['held', 'waiting', 'pending', 'active'] as const;
  const views = yield* liveJobs({ ...ANY_JOB, names: [name], phases });
  return views.filter(({ job }) => job.element === null).map(({ job }) => ({ job: job.id, index: null }));
}

interface Refused {
  readonly sentence: string;
  /** Elements of an array are named before the sentence, other jobs after it. */
  readonly style: 'plain' | 'element';
}

/** Null when it was done. */
function* doToJob(
  call: Call,
  deed: JobDeed,
  ref: JobRef,
  word: string,
  onlyUnended: boolean,
): Asking<Refused | null> {
  const { user } = call.invocation;
  const view = yield* findJob(ref);
  if (onlyUnended && view?.job.phase === 'ended') return null;
  const mine = view !== null && (view.job.spec.user === user || user === 'root');
  const objection = mine ? deed.objection(view) : null;
  if (objection !== null) return yield* refuse(call, view, ref, word, objection);
  const result = yield* command(deed.commandFor(ref, user));
  if (result.ok && (result.changed || deed.unchanged === null)) return null;
  if (result.ok) return yield* refuse(call, view, ref, word, deed.unchanged ?? '');
  const phase = view?.job.phase ?? null;
  if (deed.deed === 'hold' && phase === 'active' && result.refusal.code === 'wrongState') {
    yield* printErr(`scontrol: warning: job ${word} runs, and is not held; requeuehold would stop it\n`);
    return null;
  }
  const sentence = sentenceFor(deed.deed, result.refusal, phase);
  return yield* refuse(call, view, ref, word, sentence);
}

function* refuse(
  call: Call,
  view: JobView | null,
  ref: JobRef,
  word: string,
  sentence: string,
): Asking<Refused> {
  if (ref.index !== null) {
    yield* complain(call, `${refText(ref)}: ${sentence}`);
    return { sentence, style: 'element' };
  }
  if (view !== null && view.job.array !== null) {
    const { array } = jobFacts(view, 0);
    yield* complain(call, `${ref.job}_${array?.taskText}: ${sentence}`);
    return { sentence, style: 'element' };
  }
  yield* complain(call, `${sentence} for job ${word}`);
  return { sentence, style: 'plain' };
}
