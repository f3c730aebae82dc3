/**
 * What is remembered, as an interface: SQLite in the daemon, maps in the simulator. A store keeps facts and
 * gives them back; it decides nothing.
 */

import type { RecordedEvent } from '../model/event.ts';
import type { Footprint } from '../model/footprint.ts';
import type { BlobHash, JobId, QueueName } from '../model/ids.ts';
import type { Attempt, Job } from '../model/job.ts';
import type { Node } from '../model/node.ts';
import type { QueueState } from '../model/policy.ts';
import type { EventFilter, JobFilter, JobPageAsk, JobPlace } from '../model/query.ts';
import type { Step } from '../model/step.ts';
import type { Unreadable } from './unreadable.ts';

/** Everything one turn of the loop changed. It becomes durable as a whole or not at all. */
export interface Batch {
  readonly events: readonly RecordedEvent[];
  /** Each touched job once, as it is after the events. */
  readonly jobs: readonly Job[];
  /** Attempts that changed, live or ended, as they are after the events. */
  readonly attempts: readonly { readonly job: JobId; readonly attempt: Attempt }[];
  /** Steps that changed, live or ended, as they are after the events. */
  readonly steps: readonly JobStep[];
  readonly nodes: readonly Node[];
  readonly goneNodes: readonly string[];
  readonly usage: readonly UserUsage[];
  readonly queues: readonly DecidedQueue[];
  readonly footprints: readonly Footprint[];
  /** Kind and model of device, as the state knows them by. */
  readonly goneFootprints: readonly string[];
  readonly blobs: readonly Blob[];
  readonly nextJobId: number;
}

export interface JobStep {
  readonly job: JobId;
  readonly step: Step;
}

export interface Blob {
  readonly hash: BlobHash;
  readonly bytes: Uint8Array;
}

/** What a user consumed, as of a time; it decays from there. */
export interface UserUsage {
  readonly user: string;
  readonly amount: number;
  readonly at: number;
}

/** What was decided about a queue, whether or not the config still has it. */
export interface DecidedQueue {
  readonly name: QueueName;
  readonly state: QueueState;
}

/** What a yard needs in memory to go on. */
export interface Remembered {
  readonly nextJobId: number;
  /** When this was a backup that has been put back, and not all of what follows from that is done: of when it is. */
  readonly restoredFrom: number | null;
  readonly lastSeq: number;
  /** The time of the newest event. */
  readonly lastEventAt: number;
  /** Every job that has not ended, plus the array records that unended elements belong to. */
  readonly jobs: readonly Job[];
  /** The steps that have not ended. */
  readonly steps: readonly JobStep[];
  readonly nodes: readonly Node[];
  readonly usage: readonly UserUsage[];
  readonly queues: readonly DecidedQueue[];
  readonly footprints: readonly Footprint[];
}

export interface StoreIdentity {
  /** Made at random with the store, and kept for as long as it lives, in its backups too. */
  readonly id: string;
  /** What the names of the directories with its claims end in: `-` and its id, or nothing for a store older than ids. */
  readonly claims: string;
}

export interface StoredPage {
  readonly jobs: readonly Job[];
  readonly next: JobPlace | null;
}

export interface Store {
  readonly identity: StoreIdentity;
  /** Sentences about how it keeps things (journal mode, a network file system). */
  readonly remarks: readonly string[];
  /** Rows that are left out of what it gives. */
  readonly unreadable: Unreadable;
  load(): Remembered;
  /**
   * Survives the death of this process once it returns. Throws a Fault (disk full, read-only) with nothing
   * changed.
   */
  append(batch: Batch): void;
  /** Resolves when everything appended so far survives the loss of power, too: then it may be acknowledged. */
  flush(): Promise<void>;
  blob(hash: BlobHash): Uint8Array | null;
  job(id: JobId): Job | null;
  /** The element of an array that has a record, by its index. */
  element(array: JobId, index: number): Job | null;
  elements(array: JobId, limit: number): readonly Job[];
  /** Oldest first. */
  attempts(job: JobId): readonly Attempt[];
  /** Of all attempts, in order. */
  steps(job: JobId): readonly Step[];
  /** A part of the jobs that pass the filter, for lists of any length. Looks at a bounded number of jobs. */
  page(ask: JobPageAsk): StoredPage;
  /** Newest first; refs, phases, outcomes, users, queues, names and times of the filter all filter. */
  jobs(filter: JobFilter): readonly Job[];
  /** Oldest first. */
  events(filter: EventFilter): readonly RecordedEvent[];
  /** Forgets jobs that ended before, with their events, attempts and steps, and blobs that nobody needs. Gives the ids. */
  purge(endedBefore: number, atMost: number): readonly JobId[];
  /** All that follows from having been put back from a backup is on record. */
  settleRestored(): void;
  close(): void;
}
