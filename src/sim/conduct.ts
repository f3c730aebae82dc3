/** How one simulated attempt behaves: settled by the seed and its name alone, whatever else happens. */

import type { AttemptId, JobId } from '../model/ids.ts';
import type { Exit } from '../model/job.ts';
import { type Random, seededRandom } from './random.ts';

export interface Conduct {
  readonly startDelayMs: number;
  /** How long it runs when nobody stops it. */
  readonly runMs: number;
  readonly exit: Exit;
  /** Why it cannot even start. */
  readonly fault: string | null;
  readonly ignoresTerm: boolean;
  readonly stopDelayMs: number;
  readonly exitOnTerm: Exit;
  /** When it takes more memory than it may. */
  readonly outgrowsAfterMs: number | null;
}

/** The exit code that asks for another run, in simulated yards. */
export const RUN_AGAIN = 75;

const LONGEST_RUN_MS = 15 * 60_000;

export function isHastyJob(seed: number, job: JobId, hastyMillis: number): boolean {
  return hashOf(`hasty ${seed} ${job}`) % 1000 < hastyMillis;
}

const HASTY_MS = 9_000;

/** It fails at once, with the exit code that asks for another run. */
export function hastyConduct(seed: number, attempt: AttemptId): Conduct {
  const conduct = conductOf(seed, attempt, false);
  const runMs = 1 + (conduct.runMs % HASTY_MS);
  return { ...conduct, runMs, exit: exit(RUN_AGAIN), fault: null, outgrowsAfterMs: null };
}

export function conductOf(seed: number, attempt: AttemptId, calm: boolean): Conduct {
  const random = seededRandom(seed ^ hashOf(attempt));
  const runMs = Math.min(LONGEST_RUN_MS, random.waitMs(3 * 60_000));
  const restless = !calm;
  return {
    startDelayMs: random.between(5, 2000),
    runMs,
    exit: restless ? someExit(random) : exit(0),
    fault: restless && random.chance(0.03) ? 'its output file could not be opened' : null,
    ignoresTerm: restless && random.chance(0.2),
    stopDelayMs: random.between(10, 8000),
    exitOnTerm: random.chance(0.3) ? exit(0) : exit(143),
    outgrowsAfterMs: restless && random.chance(0.03) ? random.between(0, runMs) : null,
  };
}

function someExit(random: Random): Exit {
  const roll = random.next();
  if (roll < 0.75) return exit(0);
  if (roll < 0.87) return exit(1);
  if (roll < 0.95) return exit(RUN_AGAIN);
  return { code: null, signal: random.pick([9, 11]), outOfMemory: random.chance(0.5) };
}

function exit(code: number): Exit {
  return { code, signal: null, outOfMemory: false };
}

export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
