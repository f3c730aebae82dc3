/**
 * The yard as the rest of the server sees it: something that takes commands and answers queries. The loop
 * behind it is in loop.ts; routes, the thin protocol and dialect programs know only this.
 */

import type { CheckpointsResult, CommandResult } from '../dialects/program.ts';
import type { Command } from '../model/command.ts';
import type { RecordedEvent } from '../model/event.ts';
import type { AttemptId, BlobHash, JobId } from '../model/ids.ts';
import type { GivenBack } from '../model/job.ts';
import type { CheckpointsAsk } from '../model/keeping.ts';
import type { Answer, Ask, QueryName } from '../model/query.ts';
import type { RunHere } from '../model/run-here.ts';
import type { RunPlan } from '../model/run-plan.ts';
import type { Unreadable } from '../store/unreadable.ts';
import type { Slices } from './slices.ts';

export interface Yard {
  /** Resolves when the result is durable. Rejects with a Fault when it could not be made so. */
  command(command: Command): Promise<CommandResult>;
  query<Q extends QueryName>(name: Q, ask: Ask<Q>): Answer<Q>;
  /** What a caller needs to run this itself. Throws a Fault when it may not any more. */
  planRun(run: RunHere): RunPlan;
  /** A place that its caller holds from outside is given back. False: it is not held, or given back already. */
  giveBack(attempt: AttemptId, how: GivenBack): boolean;
  /** Something about what a job has kept, asked by somebody. It may read or copy much, so it may take long. */
  checkpoints(job: JobId, ask: CheckpointsAsk, by: string): Promise<CheckpointsResult>;
  /** Bytes to be stored together with the next commit. */
  keepBlob(bytes: Uint8Array): BlobHash;
  now(): number;
  /** How commands share the thread that everything runs on. */
  readonly slices: Slices;
  /** Called after each commit, with what it recorded. Gives the way to stop listening. */
  onCommit(listener: (events: readonly RecordedEvent[]) => void): () => void;
  lastSeq(): number;
  phaseOf(job: JobId): string | null;
  /** What the store leaves out of its answers, because it cannot be read. */
  readonly unreadable: Unreadable;
}
