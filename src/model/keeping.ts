/**
 * What a job keeps over its runs: its checkpoints, its logs, the code it was submitted with, and how far it has come.
 * Directories are absolute patterns, as for output files (%j %x %a …); one that begins with `$SCRATCH` is inside the
 * attempt's own scratch directory.
 */

import type { AttemptId, BlobHash } from './ids.ts';

/** What a job asked to be kept; every part may be left out. */
export interface Keeping {
  /** Where its program writes checkpoints. */
  readonly checkpoints: string | null;
  /** Where whole copies of them are to last; null: the directory itself lasts, and nothing is copied. */
  readonly persist: string | null;
  /** Of checkpoints that are alike, so many of the newest are kept; null: all. */
  readonly keepCount: number | null;
  /** Those kept no longer than this go, but never the last one; null: there is no such age. */
  readonly keepForMs: number | null;
  /** Directories that are copied as they are, growing files too, now and then and at the end. */
  readonly logs: readonly LogsKept[];
  readonly scratch: ScratchRequest | null;
  readonly snapshot: CodeSnapshot | null;
}

export interface LogsKept {
  readonly from: string;
  readonly to: string;
}

/** A directory of the attempt alone on local disk, `$SCRATCH`. */
export interface ScratchRequest {
  /** It must have room for so much, and may not grow beyond it; null: as much as there is. */
  readonly maxBytes: number | null;
}

/** The code as it was when the job was submitted. */
export interface CodeSnapshot {
  /** The list of its files, each by the hash of its content. */
  readonly tree: BlobHash;
  /** The top of the work tree that it was taken from. */
  readonly root: string;
  /** Where below it the job was submitted; empty at the top. */
  readonly below: string;
}

export const NOTHING_KEPT: Keeping = {
  checkpoints: null,
  persist: null,
  keepCount: null,
  keepForMs: null,
  logs: [],
  scratch: null,
  snapshot: null,
};

/** A checkpoint that is safe: whole, on storage that lasts. */
export interface CheckpointNote {
  /** As it is called in its directory: a file, a directory, or the stem of a group of files. */
  readonly name: string;
  /** Read off its name; null when that says nothing. */
  readonly step: number | null;
  readonly bytes: number;
  /** When its program had finished it. */
  readonly writtenAt: number;
  /** When it was safe. */
  readonly keptAt: number;
}

/** How far a program says that it has come. */
export interface Progress {
  readonly step: number | null;
  readonly steps: number | null;
  readonly epoch: number | null;
  readonly loss: number | null;
  readonly at: number;
}

export type CheckpointState =
  /** Whole and safe. */
  | 'kept'
  /** There, and not copied yet. */
  | 'waiting'
  /** Being written by its program. */
  | 'growing'
  /** Left by a program that was killed, and nobody can tell whether it is whole; set apart. */
  | 'unproven'
  /** Its bytes are not what they were; set apart. */
  | 'damaged';

export interface CheckpointView {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'group';
  readonly step: number | null;
  readonly bytes: number;
  readonly files: number;
  readonly writtenAt: number;
  readonly keptAt: number | null;
  readonly state: CheckpointState;
  readonly isBest: boolean;
  /** Which attempt wrote it; null when nobody knows. */
  readonly attempt: AttemptId | null;
  /** Where it is. */
  readonly path: string;
}

/** What may be asked of the checkpoints of a job. */
export type CheckpointsAsk =
  | { readonly what: 'list' }
  /** Reads every byte again. */
  | { readonly what: 'verify' }
  /** Puts one, by default the newest that is whole, into a directory, by default where its program looks for it. */
  | { readonly what: 'restore'; readonly name: string | null; readonly to: string | null }
  /** Keeps only so many of each kind, and those no older than this. */
  | { readonly what: 'prune'; readonly keepCount: number | null; readonly keepForMs: number | null }
  /** Copies what could not be copied when its run ended. */
  | { readonly what: 'flush' };

export interface CheckpointsAnswer {
  /** Local and lasting directory, patterns filled in; null: none. */
  readonly from: string | null;
  readonly to: string | null;
  /** Newest first. */
  readonly checkpoints: readonly CheckpointView[];
  /** Of restore: what was put where; of prune: what was removed; of flush: what was copied. */
  readonly done: readonly string[];
  /** What is wrong now, such as a full disk. */
  readonly trouble: string | null;
}
