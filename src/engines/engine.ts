/**
 * Who runs attempts. An engine carries out effects and reports what it saw; it never changes state, and it
 * never throws at its caller: what goes wrong is an observation too.
 */

import type { Observation } from '../model/command.ts';
import type { DevicesNow } from '../model/device-use.ts';
import type { Effect } from '../model/effect.ts';
import type { AttemptId, BlobHash } from '../model/ids.ts';
import type { Attempt, GivenBack, Job } from '../model/job.ts';
import type { CheckpointsAnswer, CheckpointsAsk } from '../model/keeping.ts';
import type { LiveUsage } from '../model/query.ts';
import type { RunHere } from '../model/run-here.ts';
import type { RunPlan } from '../model/run-plan.ts';

export type Report = (observation: Observation) => void;

export interface EngineContext {
  readonly report: Report;
  /** A script or an environment, by hash. */
  readonly blob: (hash: BlobHash) => Uint8Array | null;
  /** Whether the end of this attempt is not on record yet: what it left is read before it is removed. */
  readonly isOwed: (attempt: AttemptId) => boolean;
  readonly log: (line: string) => void;
}

export interface Engine {
  readonly name: string;
  /** Reports its nodes, then is ready for effects. */
  open(context: EngineContext): Promise<void>;
  perform(effect: Effect): void;
  /** What an attempt uses at this moment; null when it does not run here. */
  measure(attempt: string): LiveUsage | null;
  /** What is seen of devices at this moment. */
  devices(): DevicesNow;
  /** A place that its caller holds from outside is given back. False: it is not held, or given back already. */
  giveBack(attempt: AttemptId, how: GivenBack): boolean;
  /** What a caller needs to run this itself. The one that throws at once: a Fault when it may not any more. */
  planRun(run: RunHere): RunPlan;
  /** Asks something about what a job has kept, of its last attempt if it had one. Rejects with a Fault. */
  checkpoints(job: Job, attempt: Attempt | null, ask: CheckpointsAsk): Promise<CheckpointsAnswer>;
  /** The attempt is over, and a power cut would not take that back: what is kept of it may go. */
  forget(attempt: string): void;
  /** The same of one of its steps. */
  forgetStep(attempt: string, step: number): void;
  /** Sentences about what is in force here: how memory is limited, whether CPUs are pinned. */
  remarks(): readonly string[];
  /** Stops watching. What runs goes on running. */
  close(): Promise<void>;
}
