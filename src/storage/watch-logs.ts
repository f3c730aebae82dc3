/** The logs of a running program, copied now and then: the longer it takes, the more seldom, and at its end. */

import type { KeepContext } from './keep-context.ts';
import type { KeepOrder } from './keeper.ts';
import { createLogsMirror } from './mirror-logs.ts';
import { diskOf } from './turns.ts';

export interface LogsWatch {
  /** Copies once more, when everything has been written; gives what could not be done. */
  finish(): Promise<string | null>;
  /** Resolves when nothing is being copied any more. */
  stop(): Promise<void>;
}

/** Copying takes at most one part in so many of the time. */
const SHARE = 10;

export interface LogsWatchOptions {
  readonly order: KeepOrder;
  /** Otherwise they are copied at the end only. */
  readonly isRunning: boolean;
  readonly trouble: (sentence: string | null) => void;
  readonly context: KeepContext;
}

export function watchLogs({ order, isRunning, trouble, context }: LogsWatchOptions): LogsWatch {
  let isOver = false;
  let timer: NodeJS.Timeout | null = null;
  let underWay: Promise<string | null> = Promise.resolve(null);
  const mirrors = order.logs.map((logs) =>
    createLogsMirror({
      logs,
      attempt: order.attempt,
      yardId: order.owner.yardId,
      umask: order.umask,
      now: context.now,
      inTurn: async (work) => context.inTurn(await diskOf(logs.to), work),
      isOver: () => isOver,
    }),
  );

  async function copyAll(): Promise<string | null> {
    let first: string | null = null;
    for (const mirror of mirrors) first = (await mirror.copy()) ?? first;
    return first;
  }
  const later = (delayMs: number) => {
    if (isOver || mirrors.length === 0) return;
    timer = setTimeout(() => {
      const startedAt = performance.now();
      underWay = copyAll();
      void underWay.then((found) => {
        if (isOver) return;
        trouble(found);
        later(Math.max(context.times.logsMs, (performance.now() - startedAt) * SHARE));
      });
    }, delayMs);
    timer.unref();
  };
  if (isRunning) later(context.times.logsMs);

  return {
    async finish() {
      if (timer !== null) clearTimeout(timer);
      await underWay;
      if (timer !== null) clearTimeout(timer);
      underWay = copyAll();
      return underWay;
    },
    async stop() {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
      await underWay;
    },
  };
}
