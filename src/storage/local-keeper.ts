/** A keeper that does its work in this process: the attempts that it looks after, and what is shared between them. */

import type { AttemptId } from '../model/ids.ts';
import { answerAsk } from './checkpoint-asks.ts';
import { type AttemptKeeping, keepAttempt } from './keep-attempt.ts';
import { KEEP_TIMES, type KeepContext, type KeepTimes } from './keep-context.ts';
import type { Flushed, Keeper, KeeperEvents, KeepOrder } from './keeper.ts';
import { createOpenShelves } from './open-shelves.ts';
import { openShelf } from './shelf.ts';
import { createTurns } from './turns.ts';

export interface LocalKeeperOptions {
  readonly events: KeeperEvents;
  readonly now: () => number;
  readonly times?: Partial<KeepTimes>;
  /** For tests that fill a disk or hold a copy up. */
  readonly open?: typeof openShelf;
}

/** So many copies at once to the same disk. */
const MOST_COPIES = 2;

export function createLocalKeeper({ events, now, times, open }: LocalKeeperOptions): Keeper {
  const allTimes = { ...KEEP_TIMES, ...times };
  const context: KeepContext = {
    events,
    now,
    times: allTimes,
    shelves: createOpenShelves(open ?? openShelf, now, allTimes.placeMs),
    inTurn: createTurns(MOST_COPIES),
  };
  const attempts = new Map<AttemptId, AttemptKeeping>();
  const flushes = new Map<AttemptId, Promise<Flushed>>();

  function attemptOf(order: KeepOrder): AttemptKeeping {
    const known = attempts.get(order.attempt) ?? keepAttempt(order, context);
    attempts.set(order.attempt, known);
    return known;
  }

  /** Whoever asks about a job does not always know which of its attempts is looked after. */
  function attemptOfJob({ owner }: KeepOrder): AttemptKeeping | undefined {
    return [...attempts.values()].find(
      ({ order }) => order.owner.job === owner.job && order.owner.yardId === owner.yardId,
    );
  }

  async function flushed(order: KeepOrder, work: Promise<Flushed>): Promise<Flushed> {
    try {
      return await work;
    } finally {
      flushes.delete(order.attempt);
      attempts.delete(order.attempt);
    }
  }

  return {
    async prepare(order) {
      try {
        return await attemptOf(order).prepare();
      } catch (error) {
        attempts.delete(order.attempt);
        throw error;
      }
    },
    watch: (order) => attemptOf(order).watch(),
    flush(order, ending) {
      const underWay = flushes.get(order.attempt) ?? flushed(order, attemptOf(order).flush(ending));
      flushes.set(order.attempt, underWay);
      return underWay;
    },
    letGo(attempt) {
      void attempts.get(attempt)?.letGo();
      attempts.delete(attempt);
    },
    async ask(order, ask) {
      const known = attempts.get(order.attempt) ?? attemptOfJob(order);
      if (known !== undefined) return answerAsk({ order, ask, attempt: known, context });
      const passing = keepAttempt(order, context);
      try {
        return await answerAsk({ order, ask, attempt: passing, context });
      } finally {
        await passing.letGo();
      }
    },
    async close() {
      const open = [...attempts.values()];
      attempts.clear();
      await Promise.all(open.map((attempt) => attempt.letGo()));
    },
  };
}
