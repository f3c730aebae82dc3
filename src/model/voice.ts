/**
 * How a dialect speaks to the jobs that were submitted in it: the variables they find in their environment, and
 * what is written into their output when they are stopped. The agent asks; each dialect answers with pure functions.
 */

import type { Attempt, Job, NodeShare } from './job.ts';

export interface Voice {
  /** A variable that tells a rank the number of its own process. */
  readonly pidVariable?: string;
  /** What a rank of the attempt is told beyond Trainyard's own variables. */
  variables(job: Job, attempt: Attempt, place: VoicePlace, surroundings: VoiceSurroundings): Variables;
  /**
   * A line for the job's stderr once it has been stopped or has run out of memory; null: nothing. For what its
   * caller runs itself it is said on the caller's stderr instead: once for each step, or once for all when there
   * is none.
   */
  lastWords(job: Job, attempt: Attempt, ending: VoiceEnding, surroundings: VoiceSurroundings): string | null;
  /** What must be there before the attempt starts; absent: nothing. */
  furnish?(job: Job, attempt: Attempt, surroundings: VoiceSurroundings): Furnishings;
}

/** Made by the agent ahead of the first rank, and again after a crash without harm. */
export interface Furnishings {
  /** Of this attempt alone: removed after it, with all that is in them. Absolute paths. */
  readonly directories: readonly string[];
  /** The same; in one of those directories. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Files for the submitter, made empty where there are none, and left there. */
  readonly keptFiles: readonly string[];
}

export type Variables = ReadonlyMap<string, string>;

export interface VoicePlace {
  readonly rank: number;
  readonly localRank: number;
  readonly nodeNumber: number;
  readonly node: NodeShare;
}

export interface VoiceSurroundings {
  readonly yardName: string;
  /** The yard's own directory. */
  readonly directory: string;
  /** A directory on local disk that is this yard's alone, for what goes when its attempt does. */
  readonly temporaryDir: string;
  readonly host: string;
  /** The system's own word for what kind of machine it is: `x86_64`. Absent: nobody has looked. */
  readonly machine?: string;
  /** Of the submitter. */
  readonly uid: number;
  readonly gid: number;
  /** The class of service of a job that asked for none. */
  readonly defaultQos: string | null;
  /** Whether the submitter's environment has such a variable. */
  readonly submitterHas: (name: string) => boolean;
  /** IANA name. */
  readonly zone: string;
  readonly now: number;
}

export interface VoiceEnding {
  /** The step that it is said to; null: the job as a whole. */
  readonly step: number | null;
  readonly outOfMemory: boolean;
  readonly usedBytes: number | null;
}
