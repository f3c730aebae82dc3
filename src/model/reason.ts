/** Why a job is not running. Core finds the reason, dialects put it into their own words. */

import type { Estimate } from './footprint.ts';
import type { JobId, NodeName, QueueName } from './ids.ts';
import type { JobPhase, Outcome } from './job.ts';
import type { DependencyTerm } from './job-spec.ts';

export type Reason =
  | { readonly kind: 'held'; readonly by: 'user' | 'yard'; readonly note: string | null }
  | { readonly kind: 'dependency'; readonly unmet: readonly UnmetDependency[]; readonly need: 'all' | 'any' }
  | { readonly kind: 'begin'; readonly at: number }
  | {
      readonly kind: 'resources';
      readonly short: readonly Shortage[];
      readonly waitsFor: readonly JobId[];
      /** Devices of which others than the yard's jobs use a part that it would need; absent: none. */
      readonly foreign?: readonly ForeignHold[];
    }
  /** Another of its kind runs for the first time, alone on a device: what it uses is known after that. */
  | { readonly kind: 'learning'; readonly job: JobId; readonly label: string; readonly device: string }
  | { readonly kind: 'priority'; readonly behind: JobId | null; readonly ahead: number }
  | {
      readonly kind: 'limit';
      readonly limit: LimitName;
      readonly of: LimitOf;
      readonly allowed: number;
      readonly used: number;
    }
  | { readonly kind: 'throttle'; readonly allowed: number }
  | {
      readonly kind: 'queueClosed';
      readonly queue: QueueName;
      /** Somebody decided it; absent: the config says so. */
      readonly because?: 'disabled' | 'suspended';
    }
  | { readonly kind: 'nodesUnavailable'; readonly nodes: readonly NodeName[] }
  /** Another job keeps its checkpoints in the same place. */
  | { readonly kind: 'place'; readonly directory: string; readonly job: JobId }
  | { readonly kind: 'neverPossible'; readonly why: string }
  | { readonly kind: 'notLookedAt' };

export interface ForeignHold {
  readonly node: NodeName;
  readonly index: number;
  readonly bytes: number;
}

export type ResourceName = 'cpus' | 'memory' | 'gpus' | 'gpuMemory' | 'gpuLoad' | 'nodes';

/** What is wanted against what is free now, on the node that comes closest. */
export interface Shortage {
  readonly resource: ResourceName;
  readonly wanted: number;
  readonly free: number;
  readonly total: number;
}

export type LimitName = 'running' | 'cpus' | 'gpus' | 'ranks';

/** Whose limit it is; in a queue or a QOS it may be for each user. */
export type LimitOf =
  | { readonly kind: 'user'; readonly user: string }
  | { readonly kind: 'queue'; readonly queue: QueueName }
  | { readonly kind: 'userInQueue'; readonly user: string; readonly queue: QueueName }
  | { readonly kind: 'userInQos'; readonly user: string; readonly qos: string }
  | { readonly kind: 'layout'; readonly layout: string };

export interface UnmetDependency {
  readonly term: DependencyTerm;
  /** How the other job is doing; null where that is not known, or where it is not one job. */
  readonly other: { readonly phase: JobPhase; readonly outcome: Outcome | null } | null;
}

/** Everything `why` knows of one job. */
export interface Explanation {
  readonly reason: Reason | null;
  /** Null: no estimate (somebody ahead has no time limit). */
  readonly expectedStartAt: number | null;
  readonly priority: PriorityBreakdown | null;
  /** Jobs that go before it. */
  readonly ahead: number;
  /** How it is given GPUs; absent: it wants none. */
  readonly gpus?: GpuExplanation;
}

/** What is given to a job of the devices it wants, and why so much. */
export interface GpuExplanation {
  /** Whole devices; a part that it asked for; or as much as its kind was seen to use. */
  readonly manner: 'whole' | 'declared' | 'auto';
  /** What its kind is known to use, by model of device; empty: nothing is known, or it does not matter. */
  readonly estimates: readonly Estimate[];
  /** What it has, while it runs. */
  readonly holds: readonly DeviceHold[];
}

export interface DeviceHold {
  readonly node: NodeName;
  readonly index: number;
  readonly device: string;
  readonly totalBytes: number;
  readonly millis: number;
  readonly loadMillis: number | null;
  readonly isLearning: boolean;
  /** Who else is on it. */
  readonly neighbours: readonly JobId[];
}

export interface PriorityBreakdown {
  readonly total: number;
  readonly age: number;
  readonly fairShare: number;
  readonly queue: number;
  readonly qos: number;
  readonly size: number;
  readonly asked: number;
}
