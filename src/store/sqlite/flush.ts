/**
 * Makes what was committed survive the loss of power. A commit only writes to the log, which survives the death
 * of the process; waiting for the disk is done here, off the main thread, once for everything that was
 * committed meanwhile.
 */

import { closeSync, fdatasync, openSync } from 'node:fs';

export interface Flusher {
  /** Something was committed. */
  noteCommit(): void;
  /** Resolves when everything committed before the call is on the disk. */
  flush(): Promise<void>;
  close(): void;
}

/** The log is the file that SQLite appends commits to; it stays the same file as long as the database is open. */
export function logFlusher(logPath: string): Flusher {
  let file: number | null = null;
  let current: Promise<void> | null = null;
  let following: Promise<void> | null = null;
  let committed = false;

  function begin(): Promise<void> {
    committed = false;
    return new Promise((done, failed) => {
      file ??= openSync(logPath, 'r');
      fdatasync(file, (error) => (error === null ? done() : failed(error)));
    });
  }

  function start(): Promise<void> {
    const mine = begin().finally(() => {
      if (current === mine) current = null;
    });
    current = mine;
    return mine;
  }

  return {
    noteCommit() {
      committed = true;
    },
    flush() {
      if (!committed) return following ?? current ?? Promise.resolve();
      if (current === null) return start();
      // The one under way may have begun too early for us: the next one serves all who come until it begins.
      following ??= current
        .catch(() => {})
        .then(() => {
          following = null;
          return start();
        });
      return following;
    },
    close() {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

/** Where every commit waits for the disk itself. */
export const NOTHING_TO_FLUSH: Flusher = {
  noteCommit: () => {},
  flush: () => Promise.resolve(),
  close: () => {},
};
