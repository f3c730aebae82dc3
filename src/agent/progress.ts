/**
 * The directory of an attempt alone that its program makes when it needs one, and what it says there about how far it
 * has come. Nothing in it is believed further than that: it may be anything.
 */

import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import type { AttemptId } from '../model/ids.ts';
import type { Progress } from '../model/keeping.ts';
import type { DirectoryHandle } from '../platform/directory.ts';
import { errorWords } from '../platform/files.ts';
import { openEach, type PrivateDirectory } from '../platform/private-directory.ts';
import { removeTreeIn } from '../platform/remove-tree.ts';

export interface AttemptDirs {
  /** Where its program may make one: below a directory that is there, and ours. Null: attempts have none. */
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

const ATTEMPTS = 'attempts';
const PROGRESS_FILE = 'progress.json';
const MAX_PROGRESS_BYTES = 4096;

/** `temporary`: where they are; null: there is no place for them. */
export function createAttemptDirs(
  temporary: PrivateDirectory | null,
  log: (line: string) => void,
): AttemptDirs {
  const removals = new Set<Promise<void>>();
  let trouble: string | null = null;

  /** A program can do without: that there is no place for it stops no job. */
  function madePath(): string | null {
    try {
      const path = temporary?.path() ?? null;
      trouble = null;
      return path;
    } catch (error) {
      const words = errorWords(error);
      if (words !== trouble) log(`attempts have no directory of their own: ${words}`);
      trouble = words;
      return null;
    }
  }

  function remove(attempt: AttemptId): void {
    const removal: Promise<void> = removeIn(temporary, attempt)
      .catch((error: unknown) =>
        log(`the directory of attempt ${attempt} cannot be removed: ${errorWords(error)}`),
      )
      .finally(() => removals.delete(removal));
    removals.add(removal);
  }

  return {
    of(attempt) {
      const path = madePath();
      return path === null ? null : `${path}/${ATTEMPTS}/${attempt}`;
    },
    isThere: (attempt) => within(temporary, [ATTEMPTS], (all) => existsSync(all.entry(attempt))) ?? false,
    progress: (attempt) =>
      within(temporary, [ATTEMPTS, attempt], (own) => readProgress(own.entry(PROGRESS_FILE))),
    remove,
    sweep(isKnown) {
      const names = within(temporary, [ATTEMPTS], (all) => readdirSync(`/proc/self/fd/${all.fd}`)) ?? [];
      for (const name of names) if (/^\d+\.\d+$/.test(name) && !isKnown(name)) remove(name);
    },
    async close() {
      await Promise.all(removals);
    },
  };
}

async function removeIn(temporary: PrivateDirectory | null, attempt: AttemptId): Promise<void> {
  const all = openIn(temporary, [ATTEMPTS]);
  if (all === null) return;
  try {
    await removeTreeIn(all, attempt);
  } finally {
    all.close();
  }
}

/** Null: there is no such directory of ours, or nothing can be seen in it. */
function within<T>(
  temporary: PrivateDirectory | null,
  names: readonly string[],
  look: (directory: DirectoryHandle) => T,
): T | null {
  try {
    const directory = openIn(temporary, names);
    if (directory === null) return null;
    try {
      return look(directory);
    } finally {
      directory.close();
    }
  } catch {
    return null;
  }
}

/** Null: it is not there. Throws when it is not ours. */
function openIn(temporary: PrivateDirectory | null, names: readonly string[]): DirectoryHandle | null {
  const root = temporary?.openIfThere() ?? null;
  return root === null ? null : openEach(root, names);
}

/** Never waits, and never follows a link to somebody else's file. */
function readProgress(path: string): Progress | null {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const found = fstatSync(fd);
    if (!found.isFile() || found.size > MAX_PROGRESS_BYTES) return null;
    const bytes = Buffer.alloc(MAX_PROGRESS_BYTES);
    return parseProgress(bytes.toString('utf8', 0, readSync(fd, bytes)), found.mtimeMs);
  } finally {
    closeSync(fd);
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
