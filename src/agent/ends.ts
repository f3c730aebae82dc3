/**
 * The end of an attempt: those who stayed behind go, what it leaves is made safe, and one observation tells how it
 * ended. An agent that finds an attempt in the middle of that goes on from there.
 */

import { errorWords } from '../platform/files.ts';
import { finishAttempt, progressOf, tidyAttempt } from './finish.ts';
import type { Ended } from './keeping.ts';
import { isForCaller, type LiveAttempt, remainsOf } from './live.ts';
import type { MemoryWatch } from './memory-watch.ts';
import type { AgentParts } from './parts.ts';
import type { Steps } from './steps.ts';
import type { Strays } from './strays.ts';

export interface EndsParts extends AgentParts {
  readonly strays: Strays;
  readonly memory: MemoryWatch;
  readonly steps: Steps;
  /** It is over and reported. */
  readonly over: (live: LiveAttempt) => void;
  readonly isClosed: () => boolean;
}

export interface Ends {
  /** All its ranks have ended. */
  finish(live: LiveAttempt): void;
  /** Nobody knows how it ended; but nothing of it may go on when it is started anew. */
  lose(live: LiveAttempt, reason: string): void;
  /** Whoever ran it has gone. */
  leftByCaller(live: LiveAttempt): void;
  /** How it ended is on record already; what it left has yet to be made safe. */
  goOn(live: LiveAttempt): void;
}

export function createEnds(parts: EndsParts): Ends {
  function finish(live: LiveAttempt): void {
    live.phase = 'ending';
    parts.memory.remove(live);
    void finishAttempt(parts, live)
      .catch((error: unknown) => lostBy(live, `its end could not be put together: ${errorWords(error)}`))
      .then((seen) => {
        parts.steps.lookAtAll(live);
        settle(live, seen);
      });
  }

  /** That is an end like any other: nobody is there for whom it could be started again. */
  function leftByCaller(live: LiveAttempt): void {
    live.phase = 'ending';
    for (const rank of live.ranks) rank.end ??= { kind: 'abandoned' };
    parts.strays.clear(remainsOf(live), () => finish(live));
  }

  function settle(live: LiveAttempt, seen: Ended): void {
    if (!parts.keeping.isOwed(live)) return conclude(live, seen);
    void parts.keeping
      .end(live, seen)
      .catch((error: unknown) => parts.log(`after attempt ${live.attempt.id}: ${errorWords(error)}`))
      .then(() => conclude(live, seen));
  }

  function conclude(live: LiveAttempt, seen: Ended): void {
    if (parts.isClosed()) return;
    parts.over(live);
    parts.report(seen);
  }

  return {
    finish,
    lose(live, reason) {
      if (live.phase === 'ending') return;
      if (isForCaller(live)) return leftByCaller(live);
      live.phase = 'ending';
      parts.memory.remove(live);
      parts.strays.clear(remainsOf(live), async () => {
        await tidyAttempt(parts, live);
        parts.devices.end(live);
        settle(live, lostBy(live, reason));
      });
    },
    leftByCaller,
    goOn(live) {
      live.phase = 'ending';
      live.hasOwnDir = parts.ownDirs.isThere(live.attempt.id);
      settle(live, onRecord(parts, live));
    },
  };
}

/** An end of which nothing is known, and that was nobody's fault, was a loss. */
function onRecord(parts: EndsParts, live: LiveAttempt): Ended {
  const { id, exit, usage, fault } = live.attempt;
  if (exit === null || (exit.code === null && exit.signal === null && fault === null))
    return lostBy(live, parts.keeping.lostBy(live) ?? 'nobody knows how it ended');
  return { type: 'attemptEnded', attempt: id, exit, usage, fault, ...progressOf(parts, live) };
}

function lostBy(live: LiveAttempt, reason: string): Ended {
  return { type: 'attemptLost', attempt: live.attempt.id, reason };
}
