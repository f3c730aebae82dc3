/**
 * Who looks after checkpoints, logs and scratch of attempts. Agents know only this: the keeper of a yard is a process
 * of its own (keeper-process.ts), so that a storage server that hangs hangs nobody else; tests use one in their own
 * process (local-keeper.ts). Everything may be asked for again after either side was killed.
 */

import type { AttemptId, JobId } from '../model/ids.ts';
import type { CheckpointNote, CheckpointsAnswer, CheckpointsAsk, LogsKept } from '../model/keeping.ts';

/** What to keep of one attempt: all paths absolute, patterns filled in. */
export interface KeepOrder {
  readonly attempt: AttemptId;
  readonly owner: Owner;
  /** Where its program writes; null: it has no checkpoints. */
  readonly from: string | null;
  /** Where they last; null: `from` lasts itself, and they are only recorded there. */
  readonly to: string | null;
  readonly keepCount: number | null;
  readonly keepForMs: number | null;
  readonly logs: readonly LogsKept[];
  readonly scratch: { readonly directory: string; readonly maxBytes: number | null } | null;
  /** What its program withholds from others in what it makes. */
  readonly umask: number;
}

/** Whose place it is: two jobs never keep their checkpoints in the same one at the same time. */
export interface Owner {
  readonly yardId: string;
  readonly job: JobId;
}

export interface Prepared {
  /** The newest checkpoint that is whole, where the program can read it; null: it begins anew. */
  readonly resumeFrom: string | null;
  readonly checkpoint: CheckpointNote | null;
  /** Sentences about what was wrong: a damaged checkpoint that was set aside. */
  readonly remarks: readonly string[];
}

export interface Flushed {
  /** What could not be made safe, and why; null: everything is. */
  readonly trouble: string | null;
  /** The newest one that is safe now. */
  readonly checkpoint: CheckpointNote | null;
}

/** How the processes of an attempt ended. */
export interface KeepEnding {
  /** Of their own accord, with a status that says that all is well: then every file they left is finished. */
  readonly isOrderly: boolean;
  /** After so long what is left stays where it is, and that is said. */
  readonly limitMs: number;
}

export interface KeeperEvents {
  readonly kept: (attempt: AttemptId, checkpoint: CheckpointNote) => void;
  readonly trouble: (attempt: AttemptId, trouble: string | null) => void;
  readonly overScratch: (attempt: AttemptId, usedBytes: number) => void;
  readonly log: (line: string) => void;
}

export interface Keeper {
  /** Before it starts: puts the newest whole checkpoint back where it is missing. Rejects with a Fault. */
  prepare(order: KeepOrder): Promise<Prepared>;
  /** From now on, in the background. */
  watch(order: KeepOrder): void;
  /** Its processes are gone: copies what is left, and lets go of its place. */
  flush(order: KeepOrder, ending: KeepEnding): Promise<Flushed>;
  /** Looks after it no longer, and copies nothing more. */
  letGo(attempt: AttemptId): void;
  ask(order: KeepOrder, ask: CheckpointsAsk): Promise<CheckpointsAnswer>;
  close(): Promise<void>;
}
