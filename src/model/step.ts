/**
 * A step: one `srun` inside an attempt. It uses part of what the attempt holds, is run by whoever asked for it,
 * and is remembered with how it ended. Steps are numbered from 0 within their attempt.
 */

import type { AttemptId, NodeName } from './ids.ts';
import type { Exit, Placement } from './job.ts';
import type { GpuRequest } from './job-spec.ts';

export interface Step {
  readonly attempt: AttemptId;
  readonly n: number;
  readonly name: string;
  readonly command: readonly string[];
  /** Where its ranks are, and what of the attempt's share it uses there. */
  readonly placement: Placement;
  /** It shares its CPUs and devices with other steps. */
  readonly overlap: boolean;
  readonly cpusPerRank: number;
  /** What its dialect said about it that has no place here, for those who must say it back. */
  readonly words?: Readonly<Record<string, string>>;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** Somebody asked it to end. */
  readonly stoppedBy: string | null;
  readonly exit: Exit | null;
  readonly usage: StepUsage | null;
}

export interface StepUsage {
  readonly userCpuMs: number;
  readonly systemCpuMs: number;
  readonly peakMemoryBytes: number | null;
  /** The exit status of each rank as a shell counts it, where they are known. */
  readonly rankStatuses: readonly number[];
}

/** What somebody wants of an attempt for a step. */
export interface StepRequest {
  readonly name: string;
  readonly command: readonly string[];
  /** Null: as many as its ranks need. */
  readonly nodes: { readonly min: number; readonly max: number } | null;
  readonly ranks: number;
  readonly ranksPerNode: number | null;
  readonly cpusPerRank: number;
  /** Null: the devices of the attempt on the nodes it uses. */
  readonly gpus: GpuRequest | null;
  /** Others may use the same CPUs and devices at the same time. */
  readonly overlap: boolean;
  /** Its ranks may be more than its CPUs. */
  readonly overcommit?: boolean;
  /** It gets every CPU that the attempt has on its nodes. */
  readonly wholeNodes: boolean;
  /** Ranks go round the nodes one by one, or fill one node after the other. */
  readonly distribution: 'block' | 'cyclic';
  readonly onlyNodes: readonly NodeName[];
  readonly exceptNodes: readonly NodeName[];
  /** The first of the attempt's nodes that it may use, counted from 0. */
  readonly firstNode: number;
  readonly words?: Readonly<Record<string, string>>;
}
