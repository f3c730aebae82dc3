/**
 * What an attempt is told about its checkpoints, and how often: of those that are safe the newest, a few times a second at
 * most; of what is wrong each change once, however many parts have something to say.
 */

import type { AttemptId } from '../model/ids.ts';
import type { CheckpointNote } from '../model/keeping.ts';
import type { KeeperEvents } from './keeper.ts';

export interface KeptTeller {
  kept(note: CheckpointNote): void;
  /** Tells at once what it still has to. */
  finish(): void;
  stop(): void;
}

export function createKeptTeller(
  attempt: AttemptId,
  events: KeeperEvents,
  atMostEveryMs: number,
): KeptTeller {
  let newest: CheckpointNote | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  let isOwed = false;

  const tell = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (!isOwed || newest === null) return;
    isOwed = false;
    toldAt = performance.now();
    events.kept(attempt, newest);
  };
  return {
    kept(note) {
      // Those that were written earlier and are copied later are no news.
      if (newest !== null && note.writtenAt < newest.writtenAt) return;
      newest = note;
      isOwed = true;
      const waitMs = toldAt + atMostEveryMs - performance.now();
      if (waitMs <= 0) tell();
      else timer ??= setTimeout(tell, waitMs);
    },
    finish: tell,
    stop() {
      isOwed = false;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

export interface TroubleTeller {
  /** What is wrong with this part now. */
  set(part: 'checkpoints' | 'logs', trouble: string | null): void;
  /** Something was copied: what an earlier keeper of the attempt told of is over. */
  works(): void;
}

export function createTroubleTeller(attempt: AttemptId, events: KeeperEvents): TroubleTeller {
  const parts = { checkpoints: null as string | null, logs: null as string | null };
  let told: string | null = null;
  let isSure = false;
  const tell = (trouble: string | null) => {
    told = trouble;
    isSure = true;
    events.trouble(attempt, trouble);
  };
  return {
    set(part, trouble) {
      parts[part] = trouble;
      const now = parts.checkpoints ?? parts.logs;
      if (!isMuchTheSame(now, told)) tell(now);
    },
    works() {
      if (!isSure) tell(null);
    },
  };
}

/** How much room is left changes all the time. */
function isMuchTheSame(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  const withoutNumbers = (text: string) => text.replace(/\d[\d.]*(?: ?[KMGTP]?i?B\b)?/g, '#');
  return withoutNumbers(one) === withoutNumbers(other);
}
