/**
 * The life of one attempt, step by step, from being found or started to the end of its last rank; what follows that is
 * in ends.ts. Which attempts there are, and when to look at them, is the agent's business.
 */

import type { Attempt, GivenBack } from '../model/job.ts';
import { SIGTERM } from '../model/signals.ts';
import { errorWords, isOutOfFiles } from '../platform/files.ts';
import { isAlive } from '../platform/processes.ts';
import { createEnds, type EndsParts } from './ends.ts';
import { ageOf, endOfReturned, endOfRevoked, foundState, inOrderOfTime } from './found.ts';
import { wantsReadying } from './keep-order.ts';
import {
  adopted,
  hasEnded,
  isEnding,
  isForCaller,
  type LiveAttempt,
  type LiveRank,
  learnShim,
  livingShim,
  type RankEnd,
} from './live.ts';
import { hasMemoryLimit } from './memory-limit.ts';
import { rankState, readRank, returnPlace, revoke } from './recover.ts';
import type { Signalling } from './signalling.ts';
import { limitsOf } from './start.ts';
import { type StartingParts, starting } from './starting.ts';
import { notedGroups } from './yard-files.ts';

export interface RunnerParts extends EndsParts, StartingParts {
  readonly signalling: Signalling;
}

export interface Runner {
  /** Finds out how it is, and starts it where that is wanted and nobody has. */
  begin(live: LiveAttempt): void;
  /** The signal is what it is asked by. */
  stop(live: LiveAttempt, step: 'term' | 'kill', signal?: number): void;
  /** Its file has changed. */
  rankChanged(live: LiveAttempt, rank: number): void;
  /** Whoever holds it from outside gives it back. False: it is not held so, or over already. */
  giveBack(live: LiveAttempt, how: GivenBack): boolean;
  /** Looks whether something was missed. */
  check(live: LiveAttempt): void;
}

/** When one rank fails, the others are asked to end and have this long to do so. */
const RANK_GRACE_MS = 5000;

export function createRunner(parts: RunnerParts): Runner {
  const { files } = parts;
  const ends = createEnds(parts);
  const start = starting(parts, giveUp, nowRunning, stall);

  function begin(live: LiveAttempt): void {
    live.stalled = false;
    if (live.attempt.phase === 'syncing') return ends.goOn(live);
    try {
      const unclaimed = recover(live);
      if (unclaimed !== null) goOn(live, unclaimed);
    } catch (error) {
      stall(live, error);
    }
  }

  /** The ranks that nobody has claimed; null when the attempt is lost. */
  function recover(live: LiveAttempt): readonly LiveRank[] | null {
    const found = live.ranks.map((rank) => ({ rank, state: foundState(parts, live, rank) }));
    const unclaimed = found.filter(({ state }) => state.kind === 'unclaimed').map(({ rank }) => rank);
    if (unclaimed.length === live.ranks.length) return unclaimed;
    live.cgroups = notedGroups(files, live.attempt.id);
    live.sinceTicks = Math.min(
      ...found.map(({ state }) => (state.kind === 'running' ? state.sinceTicks : 0)),
    );
    const ended: [LiveRank, RankEnd][] = [];
    for (const { rank, state } of found) {
      if (state.kind === 'running') rank.shim ??= adopted(live, state);
      if (state.kind === 'revoked') ended.push([rank, endOfRevoked(live, state.fault)]);
      if (state.kind === 'returned') ended.push([rank, endOfReturned(state.how)]);
      if (state.kind !== 'ended') continue;
      ended.push([rank, { kind: 'recorded', record: state.record }]);
      if (state.shimPid !== null && !isForCaller(live)) rank.shim ??= { kind: 'past', pid: state.shimPid };
    }
    const vanished = found.find(({ state }) => state.kind === 'vanished')?.state;
    if (vanished?.kind === 'vanished') {
      ends.lose(live, vanished.reason);
      return null;
    }
    for (const [rank, end] of ended.length > 1 ? inOrderOfTime(files, live, ended) : ended)
      settle(live, rank, end);
    return unclaimed;
  }

  function goOn(live: LiveAttempt, unclaimed: readonly LiveRank[]): void {
    if (live.phase === 'ending') return;
    const isToStop = live.intent === 'stop' || live.askedBy !== null;
    if (isToStop) revokeUnclaimed(live);
    const toStart = unclaimed.filter((rank) => rank.end === null && rank.shim === null);
    if (isEnding(live)) return;
    if (toStart.length === 0) nowRunning(live, ageOf(live));
    else if (isToStop) live.stalled = true;
    else if (wantsReadying(live.job)) makeReady(live, toStart);
    else start(live, toStart);
  }

  /** What it keeps has to be there first, which may last. It may be stopped meanwhile. */
  function makeReady(live: LiveAttempt, ranks: readonly LiveRank[]): void {
    if (live.readying !== null) return;
    const isCalledOff = () => {
      live.readying = null;
      return parts.isClosed() || isEnding(live);
    };
    live.readying = parts.keeping.makeReady(live, ranks.length === live.ranks.length).then(
      () => {
        if (isCalledOff()) return;
        // It was asked to end, and could not be kept from starting: that is tried again.
        if (live.askedBy !== null) live.stalled = true;
        else start(live, ranks);
      },
      (error: unknown) => {
        if (isCalledOff()) return;
        if (isOutOfFiles(error)) return stall(live, error);
        for (const rank of ranks) giveUp(live, rank, errorWords(error));
      },
    );
  }

  /** The rank cannot be started; unless some shim has it already, that is its end. */
  function giveUp(live: LiveAttempt, rank: LiveRank, sentence: string): void {
    try {
      const isOurs = revoke(files, live.attempt.id, rank.place.rank, sentence);
      if (isOurs) settle(live, rank, { kind: 'fault', sentence });
      else learnShim(files, parts.yardId, live, rank);
    } catch (error) {
      stall(live, error);
    }
  }

  function nowRunning(live: LiveAttempt, forMs: number): void {
    if (live.phase !== 'starting') return;
    live.phase = 'running';
    live.runningSince = performance.now() - forMs;
    if (hasMemoryLimit(live.job) && live.cgroups.length === 0) parts.memory.add(live);
    parts.devices.add(live);
    // For how long a caller has had its place is known to the yard alone, and it knows already.
    if (!isForCaller(live) || live.attempt.startedAt === null)
      parts.report({ type: 'attemptRunning', attempt: live.attempt.id, forMs, ...lowered(live) });
    parts.keeping.watch(live);
    for (const ready of live.whenRunning.splice(0)) ready();
    if (live.sawChangeEarly) for (const { place } of live.ranks) rankChanged(live, place.rank);
  }

  function rankChanged(live: LiveAttempt, rankNumber: number): void {
    // The report that it runs goes first.
    if (live.phase === 'starting') live.sawChangeEarly = true;
    const rank = live.ranks[rankNumber];
    if (live.phase !== 'running' || rank === undefined || rank.end !== null) return;
    const record = readRank(files, live.attempt.id, rankNumber).record;
    if (record !== null) settle(live, rank, { kind: 'recorded', record });
    else learnShim(files, parts.yardId, live, rank);
  }

  function settle(live: LiveAttempt, rank: LiveRank, end: RankEnd): void {
    if (rank.end !== null || live.phase === 'ending') return;
    rank.end = end;
    const failed = isFailure(end);
    if (failed) live.failed ??= rank;
    if (hasEnded(live)) ends.finish(live);
    else if (failed && live.failed === rank) stopOthers(live);
  }

  function stopOthers(live: LiveAttempt): void {
    for (const rank of live.ranks) if (rank.end === null) rank.signalled = true;
    live.askedBy = SIGTERM;
    parts.signalling.askToEnd(live, SIGTERM, 'all');
    setTimeout(() => stop(live, 'kill'), RANK_GRACE_MS).unref();
  }

  function stop(live: LiveAttempt, step: 'term' | 'kill', signal = SIGTERM): void {
    if (live.phase === 'ending') {
      if (step === 'kill') hasten(live);
      return;
    }
    live.askedBy = signal;
    for (const rank of live.ranks) if (rank.end === null) rank.signalled = true;
    revokeUnclaimed(live);
    if (isEnding(live)) return;
    for (const rank of live.ranks) learnShim(files, parts.yardId, live, rank);
    if (step === 'term') parts.signalling.askToEnd(live, signal, 'all');
    else parts.signalling.killUntilOver(live, () => check(live));
  }

  /** Those who stayed behind have no more time, whether or not they are looked for yet. */
  function hasten(live: LiveAttempt): void {
    live.killing = true;
    parts.strays.hasten(live.attempt.id);
  }

  function revokeUnclaimed(live: LiveAttempt): void {
    for (const rank of live.ranks) {
      // One that was found running without a claim is beyond revoking.
      if (rank.end !== null || rank.shim?.kind === 'adopted') continue;
      try {
        if (revoke(files, live.attempt.id, rank.place.rank)) settle(live, rank, { kind: 'revoked' });
      } catch (error) {
        parts.log(`attempt ${live.attempt.id}: cannot make sure that it never starts: ${errorWords(error)}`);
      }
    }
  }

  function check(live: LiveAttempt): void {
    try {
      if (live.stalled) begin(live);
      if (live.phase !== 'running') return;
      for (const rank of live.ranks) if (rank.end === null && !isEnding(live)) checkRank(live, rank);
    } catch (error) {
      parts.log(`attempt ${live.attempt.id}: cannot look after it: ${errorWords(error)}`);
    }
  }

  function checkRank(live: LiveAttempt, rank: LiveRank): void {
    const record = readRank(files, live.attempt.id, rank.place.rank).record;
    if (record !== null) {
      settle(live, rank, { kind: 'recorded', record });
      return;
    }
    if (livingShim(rank) !== null) return;
    const state = rankState(files, parts.yardId, live.attempt.id, rank.place.rank);
    switch (state.kind) {
      case 'running':
        rank.shim = adopted(live, state);
        return;
      case 'ended':
        settle(live, rank, { kind: 'recorded', record: state.record });
        return;
      case 'revoked':
        settle(live, rank, endOfRevoked(live, state.fault));
        return;
      case 'returned':
        settle(live, rank, endOfReturned(state.how));
        return;
      case 'unclaimed':
        if (isForCaller(live)) checkUnclaimed(live, rank);
        else ends.lose(live, 'its shim ended before it could start the job');
        return;
      case 'vanished':
        ends.lose(live, state.reason);
    }
  }

  /** It is written down first, so that a yard that dies now knows how it went. */
  function giveBack(live: LiveAttempt, how: GivenBack): boolean {
    const [rank] = live.ranks;
    if (!isForCaller(live) || isEnding(live) || rank === undefined || rank.end !== null) return false;
    try {
      if (!returnPlace(files, live.attempt.id, rank.place.rank, how)) return false;
    } catch (error) {
      // Unless we die within this turn, nobody needs it.
      parts.log(`attempt ${live.attempt.id}: its return cannot be written down: ${errorWords(error)}`);
    }
    // It may be given back before it was reported to run, or while it is still being made ready.
    if (live.readying === null) nowRunning(live, ageOf(live));
    settle(live, rank, endOfReturned(how));
    return true;
  }

  /** A place that nobody in particular asked for is kept until somebody gives it back. */
  function checkUnclaimed(live: LiveAttempt, rank: LiveRank): void {
    const { caller } = live.job.spec.program;
    if (caller === null || isAlive(caller)) return;
    if (revoke(files, live.attempt.id, rank.place.rank)) ends.leftByCaller(live);
  }

  /** The machine will not let us find out how it is, say so, or start it: to be tried again. */
  function stall(live: LiveAttempt, error: unknown): void {
    live.stalled = true;
    parts.log(`attempt ${live.attempt.id}: cannot be started yet: ${errorWords(error)}`);
  }

  return { begin, stop, rankChanged, giveBack, check };
}

/** What a caller runs itself has its own limits. */
function lowered(live: LiveAttempt): Pick<Attempt, 'loweredLimits'> {
  if (isForCaller(live)) return {};
  const { lowered: loweredLimits } = limitsOf(live.job);
  return loweredLimits.length === 0 ? {} : { loweredLimits };
}

function isFailure(end: RankEnd): boolean {
  if (end.kind === 'recorded') return end.record.status !== 0;
  return end.kind === 'fault' || (end.kind === 'returned' && end.how !== 'succeeded');
}
