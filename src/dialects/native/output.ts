/**
 * A job's output as it is written: which files it goes to, what they hold now, and what comes until the job
 * ends. A job's own bytes are passed on as they are.
 */

import type { JobRef } from '../../model/ids.ts';
import type { Attempt, Job } from '../../model/job.ts';
import type { JobDetail, JobView } from '../../model/query.ts';
import { type Asking, awaitChange, printErr, printOut, readFrom } from '../program.ts';
import { findJob, findLive } from './look-up.ts';
import { offsetOfLastLines, sizeOfFile } from './tail.ts';

const CHUNK_BYTES = 256 * 1024;
/** How soon the end of a job is noticed when its output has gone quiet. */
const GROW_MS = 250;
const LOOK_AGAIN_MS = 1000;

export interface Source {
  readonly path: string;
  readonly to: 'stdout' | 'stderr';
}

/** What the file holds from an offset on, until its end. False when there is no such file. */
export function* copyFile(source: Source, from: number): Asking<boolean> {
  let offset = from;
  for (;;) {
    const bytes = yield* readFrom(source.path, offset, CHUNK_BYTES, 0);
    if (bytes === null) return false;
    if (bytes.length === 0) return true;
    yield* print(source, bytes);
    offset += bytes.length;
  }
}

/** Where to begin so that only so many lines are shown; null: all of them. */
export function* startOf(path: string, lines: number | null): Asking<number> {
  if (lines === null) return 0;
  const sizeBytes = yield* sizeOfFile(path);
  return sizeBytes === null ? 0 : yield* offsetOfLastLines(path, sizeBytes, lines);
}

export interface Following {
  readonly ref: JobRef;
  /** The files to show, in a given state of the job. */
  readonly sourcesOf: (view: JobView) => readonly Source[];
  /** Lines of what is there already; null: all. */
  readonly lines: number | null;
  /** Called when there is nothing to show before the job starts. */
  readonly onWaiting: (view: JobView) => Asking<void>;
}

/** Prints what comes until the job has ended and everything is printed, through restarts as well. */
export function* followOutput(following: Following): Asking<JobDetail> {
  const { ref, sourcesOf } = following;
  const offsets = new Map<string, number>();
  let attempt: Attempt | null = null;
  let told = false;
  for (;;) {
    const view = yield* currentView(ref);
    const { job } = view;
    if (!hasStarted(job)) {
      // It may end without ever starting.
      if (job.array === null && job.phase === 'ended') return (yield* findJob(ref)).detail;
      if (!told) yield* following.onWaiting(view);
      told = true;
      yield* awaitChange([job.id], LOOK_AGAIN_MS);
      continue;
    }
    if (
      attempt !== null &&
      attempt.id !== job.attempt?.id &&
      job.spec.streams.openMode === 'truncateAlways'
    ) {
      offsets.clear();
    }
    const isFirstLook = attempt === null;
    attempt = job.attempt;
    const sources = sourcesOf(view);
    for (const { path } of sources) {
      if (!offsets.has(path)) offsets.set(path, isFirstLook ? yield* startOf(path, following.lines) : 0);
    }
    const grew = yield* copyNew(sources, offsets, job.phase === 'active' ? GROW_MS : 0);
    if (grew) continue;
    if (job.phase === 'ended') return (yield* findJob(ref)).detail;
    if (job.phase !== 'active') yield* awaitChange([job.id], LOOK_AGAIN_MS);
  }
}

/** One look at every file; only the last one is waited for, so that no file waits for another. */
function* copyNew(sources: readonly Source[], offsets: Map<string, number>, waitMs: number): Asking<boolean> {
  let grew = false;
  for (const [i, source] of sources.entries()) {
    const offset = offsets.get(source.path) ?? 0;
    const patience = !grew && i === sources.length - 1 ? waitMs : 0;
    const bytes = yield* readFrom(source.path, offset, CHUNK_BYTES, patience);
    if (bytes === null || bytes.length === 0) continue;
    yield* print(source, bytes);
    offsets.set(source.path, offset + bytes.length);
    grew = true;
  }
  return grew;
}

function* currentView(ref: JobRef): Asking<JobView> {
  const [live] = ref.index === null ? yield* findLive([ref]) : [];
  if (live !== undefined && live.job.id === ref.job) return live;
  return (yield* findJob(ref)).detail.view;
}

/** An array's record never runs: an element that has not started is found as it. */
function hasStarted(job: Job): boolean {
  return job.array === null && job.attempt !== null;
}

function* print(source: Source, bytes: Uint8Array): Asking<void> {
  if (source.to === 'stdout') yield* printOut(bytes);
  else yield* printErr(bytes);
}
