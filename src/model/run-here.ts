/**
 * What a caller runs itself, in a place that the yard gave it: the ranks of an `srun`, the shell of a `salloc`. A
 * dialect says what each rank is (RunHere); the yard adds where to record it and how to be recognised, and the
 * client carries it out without the yard, so that a yard which dies takes nothing along.
 */

import type { AttemptId, NodeName } from './ids.ts';

export interface RunHere {
  readonly attempt: AttemptId;
  /** The step that the ranks make up; null where they are none (the shell of a `salloc`). */
  readonly step: number | null;
  /** The caller has the whole job: when it ends, so does the job. */
  readonly holdsJob: boolean;
  readonly ranks: readonly HereRank[];
  /** What ranks have before anything is said to them: what the job was submitted with, and what its dialect says to
   * its jobs. Absent: the caller's own. */
  readonly environment?: 'job';
  readonly input: HereInput;
  readonly manner: HereManner;
}

export interface HereRank {
  readonly argv: readonly string[];
  readonly workDir: string;
  /** On top of that environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
  readonly node: NodeName;
  /** The node's place in the attempt. */
  readonly nodeNumber: number;
  readonly rank: number;
  /** CPUs to be bound to; empty: any. */
  readonly cpuIds: readonly number[];
  readonly stdout: HereOutput;
  /** Null: wherever stdout goes. */
  readonly stderr: HereOutput | null;
}

/** To the caller's own stream, to nowhere, or to a file. */
export type HereOutput =
  | { readonly kind: 'caller' }
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly path: string; readonly append: boolean };

/** Who reads the caller's stdin: every rank, one rank, nobody; or all read a file, or each one of its own. */
export type HereInput =
  | { readonly kind: 'all' }
  | { readonly kind: 'rank'; readonly rank: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly path: string }
  /** In the order of the ranks. */
  | { readonly kind: 'files'; readonly paths: readonly string[] };

export interface HereManner {
  /** `srun`, `salloc`: begins the client's own messages. */
  readonly name: string;
  /** `17.0`, for messages. */
  readonly stepName: string;
  /** Every line of output begins with its rank. */
  readonly label: boolean;
  readonly unbuffered: boolean;
  /** Rank 0 gets the caller's terminal to itself. */
  readonly terminal: boolean;
  /** One rank that ends badly ends the others. */
  readonly killOnBadExit: boolean;
  /** After the first rank has ended, the others have so long; null: as long as they like. */
  readonly waitMs: number | null;
  /** After this time the ranks are ended; null: they have as long as their place. */
  readonly limitMs: number | null;
  /** Between asking ranks to end and killing them. */
  readonly graceMs: number;
  /** Nothing is said that is not an error. */
  readonly quiet: boolean;
  /** It is not spoken of as tasks: nothing is said of how it ends, and every signal goes straight on. */
  readonly plain?: boolean;
  /** Every Ctrl-C goes straight to the ranks. */
  readonly quitOnInterrupt: boolean;
  /** A variable that tells each rank the number of its own process; null: none. */
  readonly pidVariable: string | null;
  /** When the command is over: said on stderr, or null. */
  readonly farewell: string | null;
}
