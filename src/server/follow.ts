/**
 * Waiting: for the log to go on, for a job to change, for a file to grow. Every wait ends by itself, by its
 * time, or by its signal, and leaves no listener, timer or watch behind. What is waited for, and why, is
 * the caller's business.
 */

import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { jobOfEvent, type RecordedEvent } from '../model/event.ts';
import type { JobId } from '../model/ids.ts';
import { pathBytes, readAt, type Slice } from './files.ts';
import type { Yard } from './yard.ts';

/** A file on a network file system grows without telling this kernel, so a watch alone is not enough. */
const POLL_MS = 500;
/** What setTimeout can count; more would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const EVENTS_LOOKED_AT = 1000;

/** Resolves once the log has an event after `afterSeq`. */
export function untilEvent(yard: Yard, afterSeq: number, signal: AbortSignal): Promise<void> {
  return waiting(null, signal, (done) => {
    if (yard.lastSeq() > afterSeq) done();
    return yard.onCommit((events) => {
      if (events.some((recorded) => recorded.seq > afterSeq)) done();
    });
  });
}

/**
 * Resolves once something has happened to one of the jobs, or an element of it got a record of its own,
 * after `afterSeq`. Looking back as well as forward
 * closes the gap between a caller's last look and its wait.
 */
export function untilJobsChange(
  yard: Yard,
  jobs: readonly JobId[],
  afterSeq: number,
  timeoutMs: number | null,
  signal: AbortSignal,
): Promise<void> {
  const wanted = new Set(jobs);
  const concerns = ({ event }: RecordedEvent) =>
    wanted.has(jobOfEvent(event) ?? -1) || (event.type === 'elementSplit' && wanted.has(event.array));
  return waiting(timeoutMs, signal, (done) => {
    if (yard.lastSeq() > afterSeq && changedSince(yard, afterSeq, concerns)) done();
    return yard.onCommit((events) => {
      if (events.some(concerns)) done();
    });
  });
}

/** With more events than are worth looking at, it says yes: to wake for nothing does no harm. */
function changedSince(yard: Yard, afterSeq: number, concerns: (recorded: RecordedEvent) => boolean): boolean {
  const events = yard.query('events', { job: null, afterSeq, limit: EVENTS_LOOKED_AT, newest: false });
  return events.length === EVENTS_LOOKED_AT || events.some(concerns);
}

export interface Growing {
  readonly path: string;
  readonly offset: number;
  readonly maxBytes: number;
  /** How long to wait for the file to have something there. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Reads from an offset on, waiting for the file to appear and to grow past it. Null: still no such file. */
export async function readGrowing({
  path,
  offset,
  maxBytes,
  timeoutMs,
  signal,
}: Growing): Promise<Slice | null> {
  const found = await readAt(path, offset, maxBytes);
  if ((found !== null && found.bytes.length > 0) || timeoutMs <= 0 || signal.aborted) return found;
  await untilFileGrows(path, offset, timeoutMs, signal);
  return readAt(path, offset, maxBytes);
}

function untilFileGrows(path: string, offset: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
  return waiting(timeoutMs, signal, (done) => {
    const look = oneAtATime(async () => {
      const found = await stat(pathBytes(path)).catch(() => null);
      if (found !== null && found.size > offset) done();
    });
    const watcher = watchFor(path, look);
    const poll = setInterval(look, POLL_MS);
    // It may have grown between the caller's look and the watch.
    look();
    return () => {
      clearInterval(poll);
      watcher?.close();
    };
  });
}

/** Watches the file, or its directory while there is no file; null where the kernel grants no watch. */
function watchFor(path: string, onChange: () => void): FSWatcher | null {
  for (const target of [path, dirname(path)]) {
    try {
      const watcher = watch(pathBytes(target), { persistent: false }, onChange);
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      // Missing, or no watches left: the directory, or polling, will do.
    }
  }
  return null;
}

/** A call while one is under way makes one more afterwards, however many calls there were. */
function oneAtATime(action: () => Promise<void>): () => void {
  let busy = false;
  let again = false;
  const run = async () => {
    busy = true;
    do {
      again = false;
      await action();
    } while (again);
    busy = false;
  };
  return () => {
    if (busy) again = true;
    else void run();
  };
}

/** Begins something that calls `done` when it is over and gives the way to stop it; cleans up in any case. */
function waiting(
  timeoutMs: number | null,
  signal: AbortSignal,
  begin: (done: () => void) => () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    let over = false;
    let stop: (() => void) | null = null;
    const tidy = () => {
      over = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      stop?.();
    };
    const done = () => {
      if (over) return;
      tidy();
      resolve();
    };
    const timer = timeoutMs === null ? undefined : setTimeout(done, Math.min(timeoutMs, LONGEST_TIMER_MS));
    signal.addEventListener('abort', done);
    try {
      stop = begin(done);
    } catch (error) {
      tidy();
      return reject(error);
    }
    if (over) stop();
  });
}
