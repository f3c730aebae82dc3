/**
 * When to look at a directory again: shortly after something happened in it, and at the latest when the time is up. It
 * need not exist yet, and may be replaced by another of the same name. What is to be seen there is not known here.
 */

import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { onDisk } from '../platform/path-bytes.ts';

export interface Wakeups {
  /** Waits for as long, or until something has happened; true when it was that. */
  next(delayMs: number): Promise<boolean>;
  /** Whether something has happened since the last wait was over. */
  hasNews(): boolean;
  /** As if something had happened. */
  wake(): void;
  close(): void;
}

/** A program does several things in a row; they are looked at together. */
const QUIET_MS = 30;
/** A program that never pauses is looked at all the same, soon at first, and then less often. */
const LONGEST_MS = 250;

export function createWakeups(directory: string): Wakeups {
  let watcher: FSWatcher | null = null;
  let watchedIno: number | null = null;
  let newsAt: number | null = null;
  let longestMs = QUIET_MS;
  let isClosed = false;
  let waiting: { timer: NodeJS.Timeout; readonly until: number; done(): void } | null = null;

  const wake = () => {
    newsAt ??= performance.now();
    hasten();
  };

  function hasten(): void {
    if (waiting === null || newsAt === null) return;
    const now = performance.now();
    const at = Math.min(waiting.until, now + QUIET_MS, Math.max(newsAt + longestMs, now));
    clearTimeout(waiting.timer);
    waiting.timer = setTimeout(waiting.done, Math.max(0, at - now));
  }

  /** Without a watcher (the kernel gives only so many) it is looked at when the time is up. */
  async function keepWatching(): Promise<void> {
    const found = await stat(onDisk(directory)).catch(() => null);
    const ino = found?.isDirectory() ? found.ino : null;
    if (ino === watchedIno || isClosed) return;
    watcher?.close();
    watcher = null;
    watchedIno = null;
    if (ino === null) return;
    try {
      watcher = watch(onDisk(directory), { persistent: false }, wake);
      watcher.on('error', () => {
        watcher?.close();
        watcher = null;
        watchedIno = null;
      });
      watchedIno = ino;
      // What happened before it was watched was not told.
      wake();
    } catch {
      return;
    }
  }

  return {
    hasNews: () => newsAt !== null,
    wake,
    async next(delayMs) {
      await keepWatching();
      if (isClosed) return false;
      await new Promise<void>((resolve) => {
        const done = () => {
          waiting = null;
          resolve();
        };
        waiting = { timer: setTimeout(done, delayMs), until: performance.now() + delayMs, done };
        hasten();
      });
      const wasWoken = newsAt !== null;
      newsAt = null;
      longestMs = wasWoken ? Math.min(longestMs * 2, LONGEST_MS) : QUIET_MS;
      return wasWoken;
    },
    close() {
      isClosed = true;
      watcher?.close();
      if (waiting === null) return;
      clearTimeout(waiting.timer);
      waiting.done();
    },
  };
}
