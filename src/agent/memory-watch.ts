/**
 * Memory limits where no control group keeps them: the processes of each attempt that has a limit are added
 * up again and again. What is to be done about one that is over is not decided here.
 */

import { residentBytes } from '../telemetry/processes.ts';
import { type LiveAttempt, targetOf } from './live.ts';
import { takeSnapshot } from './members.ts';

export interface MemoryWatch {
  add(live: LiveAttempt): void;
  remove(live: LiveAttempt): void;
  close(): void;
}

export function createMemoryWatch(
  yardId: string,
  over: (live: LiveAttempt, usedBytes: number) => void,
  lookEveryMs: number,
): MemoryWatch {
  const watched = new Set<LiveAttempt>();
  let timer: NodeJS.Timeout | null = null;

  function look(): void {
    const snapshot = takeSnapshot(yardId);
    for (const live of watched) {
      const usedBytes = residentBytes(snapshot.membersOf(targetOf(live)));
      live.measuredPeakBytes = Math.max(live.measuredPeakBytes ?? 0, usedBytes);
      if (usedBytes <= limitOf(live) || live.overMemory) continue;
      live.overMemory = true;
      live.overMemoryBytes = usedBytes;
      over(live, usedBytes);
    }
  }

  return {
    add(live) {
      watched.add(live);
      if (timer !== null) return;
      timer = setInterval(look, lookEveryMs);
      timer.unref();
    },
    remove(live) {
      watched.delete(live);
      if (watched.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    },
    close() {
      watched.clear();
      if (timer !== null) clearInterval(timer);
    },
  };
}

/** All nodes of an attempt are this machine, and a process does not say on which it counts. */
function limitOf(live: LiveAttempt): number {
  return live.attempt.placement.nodes.reduce((sum, node) => sum + node.memoryBytes, 0);
}
