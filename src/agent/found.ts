/** How the ranks of an attempt are found by an agent that is asked about it for the first time. */

import { existsSync, statSync } from 'node:fs';
import type { GivenBack } from '../model/job.ts';
import { ageMs } from '../platform/processes.ts';
import { isForCaller, type LiveAttempt, type LiveRank, type RankEnd } from './live.ts';
import { findShim } from './members.ts';
import type { AgentParts } from './parts.ts';
import { type RankState, rankState } from './recover.ts';
import { rankPath, type YardFiles } from './yard-files.ts';

/** What its files say, and where they say nothing, whether something has become of them. */
export function foundState(
  { files, yardId }: Pick<AgentParts, 'files' | 'yardId'>,
  live: LiveAttempt,
  { place }: LiveRank,
): RankState {
  const { id, assignedAt } = live.attempt;
  const state = rankState(files, yardId, id, place.rank);
  if (state.kind !== 'unclaimed') return state;
  if (files.restartSeenAt !== null && assignedAt < files.restartSeenAt) {
    return { kind: 'vanished', reason: 'the machine restarted' };
  }
  if (live.intent !== 'watch' || isForCaller(live)) return state;
  // It was seen running: its shim may be about to claim it, or somebody has cleaned up behind our back.
  const shim = findShim({ yardId, rankPath: rankPath(files, id, place.rank), attempt: id, rank: place.rank });
  if (shim !== null) return { kind: 'running', shim, sinceTicks: shim.startTicks };
  // Its file is there before its shim is. Without the file nobody can say that it has not run.
  const isThere = existsSync(rankPath(files, id, place.rank));
  return isThere ? state : { kind: 'vanished', reason: 'the file in which its end is written is gone' };
}

/** Those that ended first come first: the first failure counts. */
export function inOrderOfTime(
  files: YardFiles,
  live: LiveAttempt,
  ended: readonly [LiveRank, RankEnd][],
): [LiveRank, RankEnd][] {
  const timeOf = (rank: LiveRank) =>
    statSync(rankPath(files, live.attempt.id, rank.place.rank), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ended.toSorted(([a], [b]) => timeOf(a) - timeOf(b));
}

/** For how long the first of its ranks has been running. */
export function ageOf(live: LiveAttempt): number {
  const ages = live.ranks.map(({ shim }) => (shim?.kind === 'adopted' ? ageMs(shim.sinceTicks) : 0));
  return Math.max(0, ...ages);
}

/** What a caller had not claimed is revoked when somebody stops it, or when the caller has gone. */
export function endOfRevoked(live: LiveAttempt, fault: string | null): RankEnd {
  if (fault !== null) return { kind: 'fault', sentence: fault };
  return isForCaller(live) && live.askedBy === null ? { kind: 'abandoned' } : { kind: 'revoked' };
}

export function endOfReturned(how: GivenBack): RankEnd {
  return how === 'killed' ? { kind: 'abandoned' } : { kind: 'returned', how };
}
