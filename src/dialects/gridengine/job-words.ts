/**
 * Jobs as they are named on a command line, one argument after the other, and `-t`, which is about the jobs of the last
 * one alone. What is wrong with them each command says in its own way.
 */

import type { GridEngineFailure } from './failure.ts';
import { type JobWord, listedWords, readJobWord, withTasks } from './job-list.ts';
import { readTaskRange } from './task-ranges.ts';

export interface JobWordComplaints {
  readonly noJob: (text: string) => GridEngineFailure;
  /** `text` is undefined where nothing follows `-t`. */
  readonly badTasks: (lines: readonly string[], text: string | undefined) => GridEngineFailure;
  /** No job stands before it. */
  readonly lonelyTasks: (text: string) => GridEngineFailure;
}

export interface JobWords {
  readonly words: readonly JobWord[];
  /** An argument that names jobs, with commas between them. */
  name(argument: string): void;
  /** What follows `-t`. */
  narrow(text: string | undefined): void;
  /** Something else stands there, and a `-t` after it is about no job. */
  pass(): void;
}

export function collectJobWords({ noJob, badTasks, lonelyTasks }: JobWordComplaints): JobWords {
  const words: JobWord[] = [];
  /** How many of them the last argument was. */
  let latest = 0;
  return {
    words,
    name(argument) {
      const named = listedWords(argument).map((text) => {
        const word = readJobWord(text);
        if (word === null) throw noJob(text);
        return word;
      });
      for (const word of named) words.push(word);
      latest = named.length;
    },
    narrow(text) {
      const range = readTaskRange(text ?? '');
      if (!range.ok) throw badTasks(range.lines, text);
      if (latest === 0) throw lonelyTasks(text ?? '');
      for (const word of words.splice(-latest)) words.push(withTasks(word, range.tasks));
      latest = 0;
    },
    pass() {
      latest = 0;
    },
  };
}

/** As most commands have it. */
export function notAJob(text: string): string {
  return `ERROR! "${text}" is an invalid job-task identifier`;
}

export function lonelyTasks(text: string): string {
  return `found lonely '-t ${text}' option (The -t option needs a leading job name).`;
}
