/**
 * Tells when running jobs have used half of their time, and most of it. Due times follow from how long a job has been
 * running, so whatever changes that (a new limit, a pause, a clock that was set) is looked at anew.
 */

import type { JobId } from '../../model/ids.ts';
import { isUnderWay, type Job } from '../../model/job.ts';
import type { LetterOccasion } from './letters.ts';

export interface LimitWatch {
  /** Looks at the job as it is now, and sets the clock for what comes next. */
  look(job: Job): void;
  forget(job: JobId): void;
  close(): void;
}

const SHARES: readonly (readonly [LetterOccasion, number])[] = [
  ['timeLimit50', 0.5],
  ['timeLimit80', 0.8],
  ['timeLimit90', 0.9],
];

/** setTimeout's own limit is 2^31 ms. */
const LONGEST_TIMER_MS = 1_000_000_000;

interface Watched {
  readonly attempt: string;
  /** Occasions that have come, for this attempt. */
  readonly past: Set<LetterOccasion>;
  timer: NodeJS.Timeout | null;
}

export interface LimitWatchOptions {
  readonly now: () => number;
  /** The job as it is, when its time has come; null: it is gone. */
  readonly jobNow: (id: JobId) => Job | null;
  readonly reached: (job: Job, occasion: LetterOccasion) => void;
}

export function watchLimits({ now, jobNow, reached }: LimitWatchOptions): LimitWatch {
  const watched = new Map<JobId, Watched>();

  const forget = (id: JobId) => {
    const entry = watched.get(id);
    if (entry?.timer != null) clearTimeout(entry.timer);
    watched.delete(id);
  };

  const look = (job: Job) => {
    const usedMs = usedOf(job, now());
    const { attempt, spec } = job;
    if (usedMs === null || attempt === null || spec.limitMs === null) return forget(job.id);
    let entry = watched.get(job.id);
    if (entry === undefined || entry.attempt !== attempt.id) {
      forget(job.id);
      // What had passed before anybody looked was told by whoever looked before.
      entry = { attempt: attempt.id, past: new Set(comeBy(usedMs, spec.limitMs)), timer: null };
      watched.set(job.id, entry);
    }
    for (const occasion of comeBy(usedMs, spec.limitMs)) {
      if (entry.past.has(occasion)) continue;
      entry.past.add(occasion);
      reached(job, occasion);
    }
    wait(job, entry, usedMs, spec.limitMs);
  };

  const wait = (job: Job, entry: Watched, usedMs: number, limitMs: number) => {
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.timer = null;
    const dues = SHARES.filter(([occasion]) => !entry.past.has(occasion)).map(([, share]) => share * limitMs);
    const isPaused = job.attempt?.suspendedAt !== null;
    if (dues.length === 0 || isPaused) return;
    const inMs = Math.min(LONGEST_TIMER_MS, Math.max(1, Math.ceil(Math.min(...dues) - usedMs)));
    entry.timer = setTimeout(() => {
      const current = jobNow(job.id);
      if (current === null) forget(job.id);
      else look(current);
    }, inMs);
    entry.timer.unref();
  };

  return {
    look,
    forget,
    close: () => {
      for (const id of [...watched.keys()]) forget(id);
    },
  };
}

/** How long it has been running, pauses aside; null when it does not run. */
function usedOf({ phase, attempt }: Job, now: number): number | null {
  if (phase !== 'active' || !isUnderWay(attempt) || attempt.clockFrom === null || attempt.stop !== null)
    return null;
  return Math.max(0, (attempt.suspendedAt ?? now) - attempt.clockFrom);
}

function comeBy(usedMs: number, limitMs: number): readonly LetterOccasion[] {
  return SHARES.filter(([, share]) => usedMs >= share * limitMs).map(([occasion]) => occasion);
}
