/**
 * The start of an attempt for which everything is ready: its ranks get their shims, or whoever asked for the place may
 * claim it. It may be stopped at any moment in between.
 */

import { errorWords, isOutOfFiles } from '../platform/files.ts';
import { isEnding, isForCaller, type LiveAttempt, type LiveRank, type Shim } from './live.ts';
import type { AgentParts } from './parts.ts';
import { type Staged, stageAttempt, stagePlace, startFault, startRank } from './start.ts';

export interface StartingParts extends AgentParts {
  /** A shim is being started; call back when that is over. */
  readonly spawning: () => () => void;
  /** Nobody waits for this shim any more. */
  readonly reapLater: (shim: Shim) => void;
  readonly isClosed: () => boolean;
}

export function starting(
  parts: StartingParts,
  giveUp: (live: LiveAttempt, rank: LiveRank, sentence: string) => void,
  nowRunning: (live: LiveAttempt, forMs: number) => void,
  tryLater: (live: LiveAttempt, why: unknown) => void,
): (live: LiveAttempt, ranks: readonly LiveRank[]) => void {
  /** Whoever asked for the place may claim it now. */
  function offer(live: LiveAttempt, ranks: readonly LiveRank[]): void {
    try {
      stagePlace(parts, live, live.intent === 'start');
      for (const { place } of ranks) parts.rankFiles.place(live.attempt.id, place.rank);
    } catch (error) {
      if (isOutOfFiles(error)) return tryLater(live, error);
      for (const rank of ranks) giveUp(live, rank, errorWords(error));
    }
    if (!isEnding(live)) nowRunning(live, 0);
  }

  function launch(live: LiveAttempt, ranks: readonly LiveRank[]): void {
    let staged: Staged;
    try {
      staged = stageAttempt(parts, live, ranks.length === live.ranks.length);
      for (const rank of ranks) {
        rank.onlyOurs = parts.rankFiles.place(live.attempt.id, rank.place.rank) && live.intent === 'start';
      }
    } catch (error) {
      if (isOutOfFiles(error)) return tryLater(live, error);
      for (const rank of ranks) giveUp(live, rank, errorWords(error));
      return;
    }
    // From before its shims are started, so that a run never seems shorter than it was.
    const launchedAt = performance.now();
    let missing = ranks.length;
    for (const rank of ranks) {
      const spawned = parts.spawning();
      startRank(parts, live, rank, staged, (result) => {
        spawned();
        if (parts.isClosed()) return;
        // It was stopped meanwhile: its shim finds that out by itself.
        if (isEnding(live)) abandon(rank.shim);
        if (!result.ok && result.passes === true) tryLater(live, startFault(result));
        else if (!result.ok) giveUp(live, rank, startFault(result));
        missing--;
        if (missing === 0 && !live.stalled) nowRunning(live, Math.ceil(performance.now() - launchedAt));
      });
    }
  }

  function abandon(shim: Shim | null): void {
    if (shim?.kind === 'child') parts.shims.letGo(shim);
    if (shim !== null) parts.reapLater(shim);
  }

  return (live, ranks) => {
    if (isForCaller(live)) offer(live, ranks);
    else launch(live, ranks);
  };
}
