/**
 * What attempts that are over leave to be done without hurry: shims to reap, files to use again or to remove.
 */

import type { AttemptId } from '../model/ids.ts';
import { errorWords, removeIfThere } from '../platform/files.ts';
import { removeCgroup } from './cgroups.ts';
import { isDoneWithFile, type LiveAttempt, type LiveRank, livingPid, type Shim } from './live.ts';
import type { RankFiles } from './rank-files.ts';
import { dropGroupsNote, removeFilesOf, stepPath, type YardFiles } from './yard-files.ts';

export interface Leftovers {
  /** It is over, and its end reported. */
  add(live: LiveAttempt): void;
  /** Its end is on record: its files may go. */
  forget(attempt: AttemptId): void;
  /** Nobody waits for this shim any more. */
  reapLater(shim: Shim): void;
  /** A control group that could not be removed yet. */
  addCgroup(directory: string): void;
  /** To be called now and then. */
  tidy(): void;
  close(): void;
}

const REAP_EVERY_MS = 50;
/** A shim that takes longer to exit is none that we can count on. */
const RECYCLE_WITHIN_MS = 5000;

interface Forgotten {
  readonly attempt: AttemptId;
  readonly ranks: readonly LiveRank[];
  readonly at: number;
}

/**
 * Where a shim of an earlier agent may yet turn up, the file stays for `keepMs`, to tell it that the rank is
 * taken.
 */
export function createLeftovers(
  files: YardFiles,
  rankFiles: RankFiles,
  keepMs: number,
  log: (line: string) => void,
): Leftovers {
  const unreaped = new Set<Shim>();
  const over = new Map<AttemptId, LiveAttempt>();
  const toRecycle: Forgotten[] = [];
  const toRemove: Forgotten[] = [];
  const cgroups = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let closed = false;

  function reapSoon(): void {
    if (closed || timer !== null) return;
    timer = setTimeout(reapAndRecycle, REAP_EVERY_MS);
    timer.unref();
  }

  function reapAndRecycle(): void {
    timer = null;
    for (const shim of unreaped) if (livingPid(shim) === null) unreaped.delete(shim);
    for (const entry of toRecycle.splice(0)) {
      if (entry.ranks.every(isDoneWithFile)) recycle(entry);
      else if (performance.now() - entry.at < RECYCLE_WITHIN_MS) toRecycle.push(entry);
      else toRemove.push(entry);
    }
    if (unreaped.size > 0 || toRecycle.length > 0) reapSoon();
  }

  function recycle({ attempt, ranks }: Forgotten): void {
    tidying(attempt, () => {
      for (const { place } of ranks) rankFiles.recycle(attempt, place.rank);
      dropGroupsNote(files, attempt);
    });
  }

  /** Those that had not ended by themselves. Whoever comes late to one finds no file, and knows. */
  function removeStepsOf({ attempt, steps }: LiveAttempt): void {
    for (const n of steps.keys()) removeIfThere(stepPath(files, attempt.id, n));
  }

  function removeOld(): void {
    const before = performance.now() - keepMs;
    while (toRemove[0] !== undefined && toRemove[0].at < before) {
      const { attempt } = toRemove.shift() as Forgotten;
      tidying(attempt, () => removeFilesOf(files, attempt));
    }
  }

  function tidying(attempt: AttemptId, work: () => void): void {
    try {
      work();
    } catch (error) {
      log(`the files of attempt ${attempt} cannot be tidied away: ${errorWords(error)}`);
    }
  }

  function reapLater(shim: Shim): void {
    if (livingPid(shim) === null) return;
    unreaped.add(shim);
    reapSoon();
  }

  return {
    add(live) {
      over.set(live.attempt.id, live);
      for (const { shim } of live.ranks) if (shim !== null) reapLater(shim);
    },
    forget(attempt) {
      const live = over.get(attempt);
      over.delete(attempt);
      if (live !== undefined) tidying(attempt, () => removeStepsOf(live));
      const entry = { attempt, ranks: live?.ranks ?? [], at: performance.now() };
      if (live?.ranks.every((rank) => rank.onlyOurs) !== true) {
        toRemove.push(entry);
        return;
      }
      toRecycle.push(entry);
      reapSoon();
    },
    reapLater,
    addCgroup: (directory) => cgroups.add(directory),
    tidy() {
      removeOld();
      for (const directory of cgroups) if (removeCgroup(directory)) cgroups.delete(directory);
    },
    close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
