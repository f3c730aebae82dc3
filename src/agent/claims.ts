/**
 * Whose claims are in a yard's directory: which attempts of this store have one, how far the numbers of jobs go that
 * anything there was made for, and which attempts run that the store does not know of: those of an earlier store, and
 * those that were started after the backup from which this one was put back.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AttemptId, type JobId, jobOfAttempt } from '../model/ids.ts';
import { isAlive, type ProcessIdentity, processInfo } from '../platform/processes.ts';
import { rankState } from './recover.ts';
import type { IsOwed } from './tidy.ts';
import { listParts, type YardFiles } from './yard-files.ts';

const RANKS = /^ranks(?:-[0-9a-f]{16})?$/;
/** Directories with a file for each attempt, or for each part of one. */
const BY_ATTEMPT = /^(?:(?:ranks|steps)(?:-[0-9a-f]{16})?|groups|furnishings|keeping|device-use)$/;
const MOST_NAMED = 5;

/** The attempts that have a file in this store's own directory. */
export function claimedAttempts(directory: string, claims: string): readonly AttemptId[] {
  const ranks = join(directory, `ranks${claims}`);
  return existsSync(ranks) ? [...new Set(listParts(ranks).map(({ attempt }) => attempt))] : [];
}

/** The highest number of a job that something in the directory was made for, by whichever store; 0: none. */
export function highestJobIn(directory: string): JobId {
  let highest = 0;
  for (const name of readdirSync(directory).filter((each) => BY_ATTEMPT.test(each))) {
    for (const entry of readdirSync(join(directory, name))) {
      const attempt = /^(\d+\.\d+)(?:\.|$)/.exec(entry)?.[1];
      if (attempt !== undefined) highest = Math.max(highest, jobOfAttempt(attempt));
    }
  }
  return highest;
}

export interface UnknownRun {
  readonly attempt: AttemptId;
  /** Its shim, or the caller that runs it. */
  readonly process: ProcessIdentity;
}

/** What runs here and is not on this store's record. */
export function findUnknownRuns(
  directory: string,
  files: YardFiles,
  yardId: string,
  isOwed: IsOwed,
): readonly UnknownRun[] {
  return readdirSync(directory)
    .filter((name) => RANKS.test(name))
    .flatMap((name) => {
      const ranks = join(directory, name);
      const isOwn = ranks === files.ranks;
      return listParts(ranks).flatMap(({ attempt, n }): readonly UnknownRun[] => {
        if (isOwn && isOwed(attempt)) return [];
        const state = rankState({ ...files, ranks }, yardId, attempt, n);
        return state.kind === 'running' ? [{ attempt, process: state.shim }] : [];
      });
    });
}

/** Those that still run. */
export function stillRunning(runs: readonly UnknownRun[]): readonly UnknownRun[] {
  return runs.filter((run) => isAlive(run.process));
}

/** How many there are and how to end them; nothing when there is none. */
export function unknownRunsRemarks(runs: readonly UnknownRun[]): readonly string[] {
  if (runs.length === 0) return [];
  const names = runs.slice(0, MOST_NAMED).map(({ attempt }) => attempt);
  const more = runs.length > MOST_NAMED ? ` and ${runs.length - MOST_NAMED} more` : '';
  const targets = runs.map((run) => signalTarget(run.process.pid)).join(' ');
  const what = runs.length === 1 ? 'a process of an attempt' : `${runs.length} processes of attempts`;
  return [
    `${what} that this store does not know still run${runs.length === 1 ? 's' : ''} (${names.join(', ')}${more}): nobody looks after them; to end them: kill -- ${targets}`,
  ];
}

/** A shim leads a session with its job in it; a caller is one process among others of a terminal. */
function signalTarget(pid: number): string {
  return processInfo(pid)?.session === pid ? `-${pid}` : `${pid}`;
}
