/**
 * What dialects say to their jobs: variables, and a last line when a job is stopped. It goes to the job's own stderr;
 * to what a caller runs itself it goes through the file that the caller claimed, and the caller says it.
 */

import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bytesFromText } from '../model/bytes.ts';
import type { Attempt, Job } from '../model/job.ts';
import { Fault } from '../model/refusal.ts';
import type {
  Furnishings,
  Variables,
  Voice,
  VoiceEnding,
  VoicePlace,
  VoiceSurroundings,
} from '../model/voice.ts';
import { errorWords, readHead } from '../platform/files.ts';
import type { PrivateDirectory } from '../platform/private-directory.ts';
import { isByProcess, parseClaim } from './claim.ts';
import type { SubmittedEnvironment } from './environment.ts';
import { isForCaller, type LiveAttempt } from './live.ts';
import { sayInOutput } from './output-words.ts';
import { rankPath, stepPath, type YardFiles } from './yard-files.ts';

export interface VoiceOptions {
  /** How the dialect of this name speaks; null: it says nothing. */
  readonly voice: (dialect: string) => Voice | null;
  readonly surroundings: Omit<VoiceSurroundings, 'now' | 'submitterHas' | 'temporaryDir'>;
  /** Where what goes with its attempt is; null: nowhere. */
  readonly temporary: PrivateDirectory | null;
  readonly now: () => number;
}

export interface Speaking {
  variables(job: Job, attempt: Attempt, place: VoicePlace, submitted: SubmittedEnvironment): Variables;
  pidVariable(job: Job): string | null;
  /** What must be there before the attempt starts; null: nothing. */
  furnishings(job: Job, attempt: Attempt): Furnishings | null;
  /** Says to all that runs of it that it is being stopped, or has run out of memory; once. */
  lastWords(live: LiveAttempt, job: Job, attempt: Attempt): void;
  lastWordsToStep(live: LiveAttempt, job: Job, attempt: Attempt, step: number): void;
}

const NO_VARIABLES: Variables = new Map();

export function createSpeaking(
  files: YardFiles,
  { voice, surroundings, temporary, now }: VoiceOptions,
): Speaking {
  const voiceOf = (job: Job) => voice(job.spec.origin.dialect);
  const temporaryPath = lastingPath(temporary);
  const around = (submitterHas: (name: string) => boolean): VoiceSurroundings => ({
    ...surroundings,
    submitterHas,
    now: now(),
    get temporaryDir() {
      return temporaryPath();
    },
  });

  function wordsFor(live: LiveAttempt, job: Job, attempt: Attempt, step: number | null): string | null {
    const ending: VoiceEnding = {
      step,
      outOfMemory: live.overMemory,
      usedBytes: live.overMemoryBytes,
    };
    const words =
      voiceOf(job)?.lastWords(
        job,
        attempt,
        ending,
        around(() => false),
      ) ?? null;
    return words === null || words.endsWith('\n') ? words : `${words}\n`;
  }

  function sayToStep(live: LiveAttempt, job: Job, attempt: Attempt, step: number): void {
    const words = wordsFor(live, job, attempt, step);
    if (words !== null) sayThroughFile(stepPath(files, attempt.id, step), words);
  }

  return {
    variables: (job, attempt, place, { names }) =>
      voiceOf(job)?.variables(
        job,
        attempt,
        place,
        around((name) => names.has(name)),
      ) ?? NO_VARIABLES,
    pidVariable: (job) => voiceOf(job)?.pidVariable ?? null,
    furnishings: (job, attempt) =>
      voiceOf(job)?.furnish?.(
        job,
        attempt,
        around(() => false),
      ) ?? null,
    lastWords(live, job, attempt) {
      if (live.saidLastWords) return;
      live.saidLastWords = true;
      const words = wordsFor(live, job, attempt, null);
      const first = live.ranks[0];
      if (words !== null && first !== undefined) {
        if (isForCaller(live)) sayThroughFile(rankPath(files, attempt.id, 0), words);
        else sayInOutput(resolve(job.spec.workDir, first.place.streams.stderr), words);
      }
      for (const [n, { over }] of live.steps) if (!over) sayToStep(live, job, attempt, n);
    },
    lastWordsToStep: sayToStep,
  };
}

/** Whoever asks for it before anything is made gets a Fault where nothing can be; what was made was made at the last path. */
function lastingPath(temporary: PrivateDirectory | null): () => string {
  let last: string | null = null;
  return () => {
    try {
      last = temporary?.path() ?? '';
    } catch (error) {
      if (last === null) throw new Fault(`cannot make its temporary directory: ${errorWords(error)}`, true);
    }
    return last;
  };
}

/** Only to somebody who has claimed it: the first line is not ours to write. */
function sayThroughFile(path: string, words: string): void {
  try {
    const claim = parseClaim(readHead(path));
    if (claim === null || !isByProcess(claim)) return;
    const lines = words.split(/(?<=\n)/).map((line) => `say ${line}`);
    appendFileSync(path, bytesFromText(lines.join('')));
  } catch {
    return;
  }
}
