/** Everything that an agent has to keep what attempts leave: who copies it, where scratch is, and what is noted. */

import type { Observation } from '../model/command.ts';
import type { AttemptId } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import type { CheckpointsAnswer, CheckpointsAsk } from '../model/keeping.ts';
import type { Keeper, KeeperEvents } from '../storage/keeper.ts';
import { askCheckpoints } from './checkpoint-asks.ts';
import { createKeepNotes } from './keep-notes.ts';
import { createKeeping, type Keeping } from './keeping.ts';
import type { LiveAttempt } from './live.ts';
import { createSafekeeping } from './safekeeping.ts';
import { createScratch, type ScratchPlaces } from './scratch.ts';
import type { YardFiles } from './yard-files.ts';

export interface KeepingOptions {
  /** Starts whoever copies; null: nothing is copied. */
  readonly keeper: ((events: KeeperEvents) => Keeper) | null;
  readonly scratch: ScratchPlaces;
  /** Puts the code of a job in place, and tells where it runs; null: all run where they were submitted. */
  readonly code: ((job: Job) => Promise<string>) | null;
  /** Exit codes by which a program says that all is well, and that it wants another run; the first is the usual one. */
  readonly againExitCodes: readonly number[];
  /** The same, for one that wants to be held before that. */
  readonly holdExitCodes: readonly number[];
  /** How long the last copies may take. */
  readonly flushLimitMs: number;
}

export interface StoreroomParts {
  readonly files: YardFiles;
  readonly yardId: string;
  readonly isKnown: (attempt: AttemptId) => boolean;
  readonly report: (observation: Observation) => void;
  readonly log: (line: string) => void;
  readonly isClosed: () => boolean;
}

export interface Storeroom {
  readonly keeping: Keeping;
  /** Tries again what could not be made safe. */
  retry(): Promise<void>;
  /** Rejects with a Fault. */
  ask(
    live: LiveAttempt | null,
    job: Job,
    attempt: Attempt | null,
    ask: CheckpointsAsk,
  ): Promise<CheckpointsAnswer>;
  remarks(): readonly string[];
  /** Whether nothing is kept at the moment, or waits to be made safe. */
  isEmpty(): boolean;
  close(): Promise<void>;
}

export function createStoreroom(options: KeepingOptions, parts: StoreroomParts): Storeroom {
  const { report, log, yardId } = parts;
  const keeper =
    options.keeper?.({
      kept: (attempt, checkpoint) => report({ type: 'checkpointKept', attempt, checkpoint }),
      trouble: (attempt, trouble) => report({ type: 'checkpointTrouble', attempt, trouble }),
      overScratch: (attempt, usedBytes) => report({ type: 'overScratch', attempt, usedBytes }),
      log,
    }) ?? null;
  const scratch = createScratch(options.scratch, log);
  const notes = createKeepNotes(parts.files, log);
  const { flushLimitMs, code } = options;
  const againExitCodes = [...options.againExitCodes, ...options.holdExitCodes];
  const safekeepingParts = { ...parts, notes, scratch, keeper, flushLimitMs };
  const safekeeping = createSafekeeping(safekeepingParts);
  return {
    keeping: createKeeping({ ...safekeepingParts, safekeeping, againExitCodes, code }),
    retry: safekeeping.retry,
    ask: (live, job, attempt, ask) =>
      askCheckpoints({ yardId, notes, safekeeping, keeper }, live, job, attempt, ask),
    remarks: () => [...scratch.remarks(), ...safekeeping.remarks()],
    isEmpty: () => notes.all().length === 0,
    close: async () => keeper?.close(),
  };
}
