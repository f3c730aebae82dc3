/**
 * The directory of an attempt alone that its program makes when it needs one, and what it says there about how far it
 * has come. Nothing in it is believed further than that: it may be anything.
 */

import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import type { AttemptId } from '../model/ids.ts';
import type { Progress } from '../model/keeping.ts';
import { errorWords } from '../platform/files.ts';
import { removeTree } from '../platform/remove-tree.ts';

export interface AttemptDirs {
  /** Null: attempts have none. */
  of(attempt: AttemptId): string | null;
  isThere(attempt: AttemptId): boolean;
  /** Null: its program has not said anything that can be understood. */
  progress(attempt: AttemptId): Progress | null;
  remove(attempt: AttemptId): void;
  /** Removes those of attempts that are not among these any more. */
  sweep(isKnown: (attempt: AttemptId) => boolean): void;
  /** Resolves when those are gone that are being removed. */
  close(): Promise<void>;
}

const PROGRESS_FILE = 'progress.json';
const MAX_PROGRESS_BYTES = 4096;

/** `temporaryDir` may be empty: then there is no place for them. */
export function createAttemptDirs(temporaryDir: string, log: (line: string) => void): AttemptDirs {
  const all = `${temporaryDir}/attempts`;
  const removals = new Set<Promise<void>>();
  const of = (attempt: AttemptId) => (temporaryDir === '' ? null : `${all}/${attempt}`);

  function remove(attempt: AttemptId): void {
    const directory = of(attempt);
    if (directory === null) return;
    const removal: Promise<void> = removeTree(directory)
      .catch((error: unknown) => log(`${directory} cannot be removed: ${errorWords(error)}`))
      .finally(() => removals.delete(removal));
    removals.add(removal);
  }

  return {
    of,
    isThere: (attempt) => existsSync(of(attempt) ?? ''),
    progress(attempt) {
      const directory = of(attempt);
      return directory === null ? null : readProgress(`${directory}/${PROGRESS_FILE}`);
    },
    remove,
    sweep(isKnown) {
      if (temporaryDir === '') return;
      for (const name of namesIn(all)) if (/^\d+\.\d+$/.test(name) && !isKnown(name)) remove(name);
    },
    async close() {
      await Promise.all(removals);
    },
  };
}

/** Never waits, and never follows a link to somebody else's file. */
export function readProgress(path: string): Progress | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const found = fstatSync(fd);
      if (!found.isFile() || found.size > MAX_PROGRESS_BYTES) return null;
      const bytes = Buffer.alloc(MAX_PROGRESS_BYTES);
      return parseProgress(bytes.toString('utf8', 0, readSync(fd, bytes)), found.mtimeMs);
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** Times are seconds in the file. */
function parseProgress(text: string, writtenAt: number): Progress | null {
  const said = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
  if (typeof said !== 'object' || said === null) return null;
  const number = (name: string) => {
    const value = said[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  const at = number('at');
  return {
    step: number('step'),
    steps: number('steps'),
    epoch: number('epoch'),
    loss: number('loss'),
    at: Math.round(at === null ? writtenAt : at * 1000),
  };
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
