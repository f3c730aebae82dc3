/**
 * That nobody waits for ever. Places go by age here, so the job that has waited longest has one kept for it: whoever starts
 * after that either has left by the time it is promised, or is elsewhere.
 *
 * The bound follows from that. From the moment at which it is the oldest and only lacks room, no job without a time limit
 * starts on what is kept for it. As long as somebody without a limit is on all that it could have, nobody can say when its
 * place will be free, and jobs with limits may still go there. So once all that ran at that moment have ended, only jobs with
 * limits can be in its way, and they go within the longest limit there is and the time that it takes to end and report them.
 * It begins anew when the world changes under the promise: strangers come or go, machines do, its kind is taken for larger,
 * or, for a job that shares, one of those beside whom it would have been grows.
 */

import { footprintOf, learnerOf } from '../../core/footprints/book.ts';
import { footprintKeys } from '../../core/footprints/keys.ts';
import { jobOf, type YardState } from '../../core/state.ts';
import type { Event } from '../../model/event.ts';
import type { AttemptId, JobId } from '../../model/ids.ts';
import { isUnderWay, type Job } from '../../model/job.ts';
import { invariant } from '../../model/refusal.ts';

export interface Patience {
  /** After a turn. */
  look(state: YardState, events: readonly Event[], nowMs: number): void;
  /** The longest that a job was the oldest and had to wait, after those before it had gone. */
  readonly longestMs: number;
}

interface Waiting {
  readonly job: JobId;
  /** Whoever ran when it began to lack nothing but room, and has not ended. */
  readonly ahead: Set<AttemptId>;
  /** When the last of them had. */
  clearSinceMs: number;
}

export function watchPatience(boundMs: number): Patience {
  let oldest: Waiting | null = null;
  let longestMs = 0;
  return {
    get longestMs() {
      return longestMs;
    },
    look(state, events, nowMs) {
      const job = oldestPending(state);
      if (job === null || waitsForAnother(state, job)) {
        oldest = null;
        return;
      }
      if (oldest?.job !== job.id || events.some((event) => changesItsPlace(event, job))) {
        oldest = { job: job.id, ahead: underWay(state), clearSinceMs: nowMs };
        return;
      }
      const now = underWay(state);
      for (const attempt of oldest.ahead) {
        if (now.has(attempt)) continue;
        oldest.ahead.delete(attempt);
        oldest.clearSinceMs = nowMs;
      }
      if (oldest.ahead.size > 0) return;
      longestMs = Math.max(longestMs, nowMs - oldest.clearSinceMs);
      invariant(
        nowMs - oldest.clearSinceMs <= boundMs,
        `job ${job.id} is the oldest, has seen all leave who were before it, and still waits`,
      );
    },
  };
}

function oldestPending(state: YardState): Job | null {
  let oldest: Job | null = null;
  for (const job of state.jobs.values()) {
    if (job.phase !== 'pending' || (job.array !== null && job.array.unstarted.length === 0)) continue;
    if (oldest === null || age(job) < age(oldest) || (age(job) === age(oldest) && job.id < oldest.id))
      oldest = job;
  }
  return oldest;
}

const age = ({ eligibleAt }: Job) => eligibleAt ?? Number.POSITIVE_INFINITY;

/** On some model of device another of its kind is to show first what such jobs use: its turn comes after that. */
function waitsForAnother(state: YardState, { spec }: Job): boolean {
  if (spec.resources.gpus?.sharing !== 'auto') return false;
  const models = new Set([...state.nodes.values()].flatMap(({ devices }) => devices.map(({ kind }) => kind)));
  return [...models].some(
    (model) => footprintOf(state, spec, model) === null && learnerOf(state, spec, model) !== null,
  );
}

function underWay(state: YardState): Set<AttemptId> {
  const attempts = new Set<AttemptId>();
  for (const id of state.live) {
    const { attempt } = jobOf(state, id);
    if (isUnderWay(attempt)) attempts.add(attempt.id);
  }
  return attempts;
}

function changesItsPlace(event: Event, { spec }: Job): boolean {
  switch (event.type) {
    case 'nodeSeen':
    case 'nodeLost':
    case 'nodeGone':
    case 'foreignUseSeen':
      return true;
    case 'footprintForgotten':
      return footprintKeys(spec).some(({ text }) => text === event.key);
    case 'footprintLearned':
      return footprintKeys(spec).some(({ text }) => text === event.footprint.key.text);
    case 'deviceShareChanged':
      return event.because === 'grown' && spec.resources.gpus?.sharing !== 'whole';
    default:
      return false;
  }
}
