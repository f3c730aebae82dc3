/**
 * What is still owed to the world, read off the state. Effects run only after the commit that made them
 * due, and are idempotent: after a crash the same list is made again and carried out again.
 */

import type { Attempt, Job } from './job.ts';
import type { SignalScope } from './job-spec.ts';
import type { Step } from './step.ts';

export type Effect =
  /** Make sure that it runs: start it, or find it running. */
  | { readonly type: 'start'; readonly job: Job; readonly attempt: Attempt }
  /** Make sure that it is being watched (after a restart). */
  | { readonly type: 'watch'; readonly job: Job; readonly attempt: Attempt }
  | {
      readonly type: 'warn';
      readonly job: Job;
      readonly attempt: Attempt;
      readonly signal: number;
      readonly scope: SignalScope;
    }
  | {
      readonly type: 'signal';
      readonly job: Job;
      readonly attempt: Attempt;
      readonly n: number;
      readonly signal: number;
      readonly scope: SignalScope;
    }
  /** Stop its processes where they are, or let them go on. */
  | {
      readonly type: 'suspend' | 'resume';
      readonly job: Job;
      readonly attempt: Attempt;
      /** Grows with each change of mind. */
      readonly n: number;
    }
  /** Make sure that the end of a step is noticed. */
  | { readonly type: 'watchStep'; readonly job: Job; readonly attempt: Attempt; readonly step: Step }
  | { readonly type: 'stopStep'; readonly job: Job; readonly attempt: Attempt; readonly step: Step }
  | {
      readonly type: 'stop';
      readonly job: Job;
      readonly attempt: Attempt;
      readonly step: 'term' | 'kill';
      /** By which it is asked to end, ahead of being killed; absent: SIGTERM. */
      readonly signal?: number;
    };
