/** How this yard is run: what the config file decides. Core takes it as an argument. */

import type { NodeName, QueueName } from './ids.ts';

export interface Policy {
  readonly queues: readonly Queue[];
  /** What becomes of a job for a queue that is not there: where no queue was configured, scripts written for other
   * places may name any. */
  readonly unknownQueue: 'refuse' | 'useDefault';
  /** One of them at least. */
  readonly qos: readonly Qos[];
  /** What becomes of a job that names another: where none was configured, it may. */
  readonly unknownQos: 'refuse' | 'accept';
  /** Null: anybody may name any account. */
  readonly accounts: readonly Account[] | null;
  /** Named ways to spread the ranks of a job over nodes. */
  readonly layouts: readonly Layout[];
  readonly weights: PriorityWeights;
  /** Waiting longer than this earns nothing more. */
  readonly ageFullMs: number;
  readonly fairShareHalfLifeMs: number;
  /** Shares by user; everyone else has 1. */
  readonly shares: Readonly<Record<string, number>>;
  readonly perUser: UserLimits;
  readonly backfill: boolean;
  /** How many waiting groups of alike jobs one pass looks at. */
  readonly passDepth: number;
  /** Between asking a process to end and killing it. */
  readonly graceMs: number;
  /** Exit codes by which a batch script asks to be run again. */
  readonly requeueExitCodes: readonly number[];
  /** The same, but it is held until somebody releases it. */
  readonly requeueHoldExitCodes: readonly number[];
  /** A run shorter than this that asks for another one, without progress, is fruitless... */
  readonly fruitlessUnderMs: number;
  /** ...and after so many of them in a row the job is held; one that asked to be queued again has more, see core. */
  readonly maxFruitless: number;
  /** After so many runs in a row without a new checkpoint or a further step, a job that has such is held. */
  readonly maxStagnant: number;
  /** A job started again more often than this is held. */
  readonly maxRestarts: number;
  readonly gpu: GpuPolicy;
  readonly maxArraySize: number;
  readonly maxQueuedJobs: number;
}

/** How GPUs are shared. */
export interface GpuPolicy {
  /** What becomes of requests for whole devices, where neither the job nor its queue says. */
  readonly share: GpuShare;
  /** Where others are already, or where nobody is. */
  readonly arrange: 'pack' | 'spread';
  /** How busy all who share a device may be expected to keep it, in thousandths. */
  readonly maxLoadMillis: number;
  /** What a first run of its kind was seen to use by then counts, with the widest margin, though it has not ended. */
  readonly learnAfterMs: number;
  /** A device counts as whole while others than the yard's jobs use no more of it than this. */
  readonly foreignToleranceMillis: number;
  /** Exit codes by which a program says that the memory of a GPU was not enough. */
  readonly outOfMemoryExitCodes: readonly number[];
}

/** Whole devices, or as much of each as the kind of job was seen to use. */
export type GpuShare = 'whole' | 'auto';

export interface PriorityWeights {
  readonly age: number;
  readonly qos: number;
  readonly fairShare: number;
  readonly queue: number;
  readonly size: number;
}

export interface Queue {
  readonly name: QueueName;
  readonly isDefault: boolean;
  /** Higher goes first, and may preempt lower where the lower one allows it. */
  readonly priority: number;
  /** Null: every node. */
  readonly nodes: readonly NodeName[] | null;
  readonly defaultLimitMs: number | null;
  readonly maxLimitMs: number | null;
  readonly defaultMemoryBytes: number | null;
  readonly defaultMemoryPerCpuBytes: number | null;
  /** What happens to this queue's jobs when a higher queue needs their place. */
  readonly preempt: 'off' | PreemptMode;
  readonly graceMs: number | null;
  readonly open: boolean;
  /** What becomes of requests for whole GPUs in it; absent: what the yard says. */
  readonly gpuShare?: GpuShare;
  readonly limits: QueueLimits;
}

/** Queued again, stopped where it is until there is room again, or ended. */
export type PreemptMode = 'requeue' | 'suspend' | 'cancel';

/** What somebody has decided about a queue while the yard runs; it is durable, and holds beside what the config says. */
export interface QueueState {
  /** Nothing new starts in it. */
  readonly disabled: boolean;
  /** The same, and what runs in it is stopped where it is until it is over. */
  readonly suspended: boolean;
}

/** Whether jobs may start in it, by what the config says and what somebody decided since. */
export function startsJobs(queue: Queue, state: QueueState): boolean {
  return queue.open && !state.disabled && !state.suspended;
}

/** A class of service. */
export interface Qos {
  readonly name: string;
  readonly isDefault: boolean;
  readonly priority: number;
  /** Whose jobs may have to leave for one of this class: names of others. Absent: nobody's. */
  readonly preempts?: readonly string[];
  /** What becomes of a job of this class then; absent: what its queue says, or else it is queued again. */
  readonly preempt?: PreemptMode;
  readonly maxLimitMs: number | null;
  readonly maxRunningPerUser: number | null;
  readonly maxQueuedPerUser: number | null;
  readonly maxCpusPerUser: number | null;
  readonly maxGpusPerUser: number | null;
}

export interface Account {
  readonly name: string;
  readonly description: string;
  /** Null: everybody. */
  readonly users: readonly string[] | null;
  readonly parent: string | null;
}

/** How the ranks of a job are spread: what Grid Engine calls a parallel environment. */
export interface Layout {
  readonly name: string;
  /** All on one node; node by node; one on each node in turn; or just so many on each. */
  readonly spread: 'oneNode' | 'fill' | 'roundRobin' | number;
  /** How many ranks all its jobs may have at once; null: as many as there are. */
  readonly maxRanks: number | null;
}

export interface UserLimits {
  readonly maxRunning: number | null;
  readonly maxQueued: number | null;
  readonly maxCpus: number | null;
  readonly maxGpus: number | null;
}

export interface QueueLimits extends UserLimits {
  readonly maxRunningPerUser: number | null;
  readonly maxCpusPerUser: number | null;
  readonly maxGpusPerUser: number | null;
}
