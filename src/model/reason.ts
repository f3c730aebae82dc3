/** Why a job is not running. Core finds the reason, dialects put it into their own words. */

import type { JobId, NodeName, QueueName } from './ids.ts';
import type { JobPhase, Outcome } from './job.ts';
import type { DependencyTerm } from './job-spec.ts';

export type Reason =
  | { readonly kind: 'held'; readonly by: 'user' | 'yard'; readonly note: string | null }
  | { readonly kind: 'dependency'; readonly unmet: readonly UnmetDependency[]; readonly need: 'all' | 'any' }
  | { readonly kind: 'begin'; readonly at: number }
  | { readonly kind: 'resources'; readonly short: readonly Shortage[]; readonly waitsFor: readonly JobId[] }
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

export type ResourceName = 'cpus' | 'memory' | 'gpus' | 'nodes';

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
