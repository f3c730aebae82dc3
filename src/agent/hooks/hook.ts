/**
 * What happens around a run, one concern each. Hooks run in the order of their list before the job starts,
 * and in the reverse order after it has ended. An `after` must be safe when its `before` never ran: another
 * agent may have started the attempt, or nobody.
 */

import type { Attempt, Job } from '../../model/job.ts';
import type { Target } from '../members.ts';
import type { Place } from '../places.ts';

/** An attempt about to start. Hooks add to it what the launch must do. */
export interface Staging {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly places: readonly Place[];
  /** False when it is started over after a crash: then some of its ranks may be running. */
  readonly fresh: boolean;
  /** The directory of the control group for each node number that has one. */
  readonly cgroups: Map<number, string>;
  /** The CPUs that a rank is bound to, for each that is. */
  readonly cpuIds: Map<number, readonly number[]>;
}

/** An attempt whose ranks have all ended. */
export interface Ending {
  /** What may be left of it. */
  readonly remains: Target;
  readonly holdsDevices: boolean;
  readonly hasSteps: boolean;
  /** Whether what it leaves is about to be copied, which nobody may write to any more. */
  readonly isKept: boolean;
  /** By which signal they were asked to end, and may be busy with that; null: they were not. */
  readonly askedBy: number | null;
  readonly findings: Findings;
}

export interface Findings {
  peakBytes: number | null;
  oomKills: number;
  /** Whether somebody who had stayed behind was made to end, whatever it was doing. */
  wasForced: boolean;
}

export interface Hook {
  readonly name: string;
  /** Throws a Fault when the job cannot run. */
  before?(staging: Staging): void;
  after?(ending: Ending): Promise<void> | void;
}

export function runBefore(hooks: readonly Hook[], staging: Staging): void {
  for (const hook of hooks) hook.before?.(staging);
}

/** What one hook fails to tidy must not keep the others from tidying. */
export async function runAfter(
  hooks: readonly Hook[],
  ending: Ending,
  log: (line: string) => void,
): Promise<void> {
  for (const hook of hooks.toReversed()) {
    try {
      const waiting = hook.after?.(ending);
      if (waiting !== undefined) await waiting;
    } catch (error) {
      log(`after attempt ${ending.remains.attempt}, ${hook.name}: ${String(error)}`);
    }
  }
}
