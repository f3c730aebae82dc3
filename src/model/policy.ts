/** How this yard is run: what the config file decides. Core takes it as an argument. */

import type { NodeName, QueueName } from './ids.ts';

export interface Policy {
  readonly queues: readonly Queue[];
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
  readonly requeueExitCodes: readonly number[];
  /** A job started again more often than this is held. */
  readonly maxRestarts: number;
  readonly maxArraySize: number;
  readonly maxQueuedJobs: number;
}

export interface PriorityWeights {
  readonly age: number;
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
  /** What happens to this queue's jobs when a higher queue needs their place. */
  readonly preempt: 'off' | 'requeue' | 'cancel';
  readonly graceMs: number | null;
  readonly open: boolean;
  readonly limits: QueueLimits;
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
