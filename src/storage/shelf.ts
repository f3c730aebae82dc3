/**
 * The place where checkpoints last: a directory with the same names as the program uses, so that a reader needs no
 * Trainyard, and `.trainyard/` beside them, which says what each file must be. Whatever is killed at whatever moment,
 * everything listed is whole. Knows nothing of how checkpoints are found, nor of when they are copied.
 */

import type { AttemptId } from '../model/ids.ts';
import type { CheckpointNote, CheckpointView } from '../model/keeping.ts';
import { Fault } from '../model/refusal.ts';
import type { Owner } from './keeper.ts';
import type { Unit } from './units.ts';

export interface ShelfOptions {
  /** Made when it is not there. */
  readonly directory: string;
  readonly owner: Owner;
  readonly keepCount: number | null;
  readonly keepForMs: number | null;
  readonly now: () => number;
  /** The directory is the one that its program writes to: checkpoints are recorded there, and nothing is copied. */
  readonly inPlace?: boolean;
}

export interface Shelf {
  readonly directory: string;
  /** Sentences about what was found at opening: a record that could not be read and was set aside. */
  readonly remarks: readonly string[];
  /** Whether these very files are safe, or were and retention has removed them, or are set apart as unproven. */
  isKept(unit: Unit): boolean;
  /** Whether it should be put: it is not kept, and retention would not remove it at once. */
  isWanted(unit: Unit): boolean;
  /**
   * Safe when this resolves; then what keepCount and keepForMs ask for is removed. `changed`: it was written to or
   * vanished meanwhile, and nothing has happened. Rejects with a Fault, retryable when the disk is full. One at a
   * time: calls wait for each other.
   */
  put(unit: Unit, from: string, attempt: AttemptId | null): Promise<CheckpointNote | 'changed'>;
  /** Sets apart a copy of what may not be whole. It never counts as a checkpoint. */
  putUnproven(unit: Unit, from: string, attempt: AttemptId | null): Promise<void>;
  /** Newest first; also those that are set apart. */
  entries(): readonly CheckpointView[];
  /** Reads it to the last byte. A damaged one is set aside, and the one before it used. */
  newestWhole(): Promise<FoundWhole>;
  /** As newestWhole and then restore, reading each byte once; what is in the directory unchanged is left as it is. */
  restoreNewest(to: string): Promise<RestoredNewest>;
  /**
   * Puts one into a directory, with the pointers that lead to it: all of it or nothing. What is there under the same
   * name and differs is moved to `.trainyard/replaced/` there. Null: there is no such checkpoint, or it is damaged.
   */
  restore(name: string, to: string): Promise<Restored | null>;
  /** Reads every byte of everything. Damaged ones are set aside, and said in the remarks. */
  verify(): Promise<Verified>;
  /** The names of those removed. */
  prune(keepCount: number | null, keepForMs: number | null): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface FoundWhole {
  readonly entry: CheckpointView | null;
  readonly note: CheckpointNote | null;
  readonly remarks: readonly string[];
}

export interface RestoredNewest extends FoundWhole {
  /** What to resume from: a file, a directory or the stem of a group. */
  readonly path: string | null;
}

export interface Restored {
  readonly path: string;
  /** Every file and pointer that is in place now, also those that were already. */
  readonly paths: readonly string[];
  readonly remarks: readonly string[];
}

export interface Verified {
  readonly entries: readonly CheckpointView[];
  readonly remarks: readonly string[];
}

export async function openShelf(options: ShelfOptions): Promise<Shelf> {
  throw new Fault(`${options.directory} cannot be opened yet`, false);
}
