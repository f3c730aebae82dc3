/** What the parts of a keeper share: the open shelves, the turns at the disks, and how long they wait for what. */

import type { KeeperEvents } from './keeper.ts';
import type { OpenShelves } from './open-shelves.ts';
import type { Turns } from './turns.ts';

export interface KeepContext {
  readonly events: KeeperEvents;
  readonly shelves: OpenShelves;
  readonly inTurn: Turns;
  readonly now: () => number;
  readonly times: KeepTimes;
}

export interface KeepTimes {
  /** Between two looks at a directory where nothing seems to happen. */
  readonly lookMs: number;
  /** Between looks at a file that somebody has open: first, and at most. */
  readonly growingMs: number;
  readonly longestGrowingMs: number;
  /** After a copy that failed: first, and at most. */
  readonly retryMs: number;
  readonly longestRetryMs: number;
  /** What is safe is told at most so often. */
  readonly toldMs: number;
  readonly logsMs: number;
  readonly scratchMs: number;
  /** A place that somebody is about to let go of is waited for so long. */
  readonly placeMs: number;
  /** Whoever is at work notices the end of the time as well, and can say more. */
  readonly lateMs: number;
}

export const KEEP_TIMES: KeepTimes = {
  lookMs: 1000,
  growingMs: 20,
  longestGrowingMs: 500,
  retryMs: 1000,
  longestRetryMs: 60_000,
  toldMs: 200,
  logsMs: 30_000,
  scratchMs: 2000,
  placeMs: 5000,
  lateMs: 1000,
};
