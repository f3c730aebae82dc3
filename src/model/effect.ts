/**
 * What is still owed to the world, read off the state. Effects run only after the commit that made them
 * due, and are idempotent: after a crash the same list is made again and carried out again.
 */

import type { Attempt, Job } from './job.ts';

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
      readonly scope: 'main' | 'all';
    }
  | {
      readonly type: 'signal';
      readonly job: Job;
      readonly attempt: Attempt;
      readonly n: number;
      readonly signal: number;
      readonly scope: 'main' | 'all';
    }
  | { readonly type: 'stop'; readonly job: Job; readonly attempt: Attempt; readonly step: 'term' | 'kill' };
