/** What may be asked about a yard without changing it, and the shape of the answers. */

import type { DeviceNow, DeviceUse, TenantNow } from './device-use.ts';
import type { RecordedEvent } from './event.ts';
import type { Estimate, Footprint } from './footprint.ts';
import type { AttemptId, JobId, JobRef, NodeName, QueueName } from './ids.ts';
import type { Attempt, Job, JobPhase, Outcome, Placement } from './job.ts';
import type { JobSpec } from './job-spec.ts';
import type { Progress } from './keeping.ts';
import type { Device, Node } from './node.ts';
import type { Policy, Queue, QueueState } from './policy.ts';
import type { Explanation, GpuExplanation, PriorityBreakdown, Reason } from './reason.ts';
import type { Refusal } from './refusal.ts';
import type { Step } from './step.ts';

export interface JobFilter {
  readonly refs: readonly JobRef[] | null;
  readonly phases: readonly JobPhase[] | null;
  readonly outcomes: readonly Outcome[] | null;
  readonly users: readonly string[] | null;
  readonly queues: readonly QueueName[] | null;
  readonly names: readonly string[] | null;
  /** Ended jobs count when they ended after this. */
  readonly endedAfter: number | null;
  readonly submittedAfter: number | null;
  readonly submittedBefore: number | null;
  readonly limit: number;
}

export const ANY_JOB: JobFilter = {
  refs: null,
  phases: null,
  outcomes: null,
  users: null,
  queues: null,
  names: null,
  endedAfter: null,
  submittedAfter: null,
  submittedBefore: null,
  limit: 10_000,
};

/**
 * The order of a list that is read page by page. Each goes by something that a job keeps, so that no job comes twice
 * and none is left out while others come and go.
 */
export type JobOrder =
  /** By number, the highest first. */
  | { readonly by: 'newest' }
  /** By number, without the elements of arrays. */
  | { readonly by: 'oldest' }
  /** By the time of the end; only jobs that have ended. */
  | { readonly by: 'end' }
  /** The elements of one array that have a record, by index. */
  | { readonly by: 'index'; readonly array: JobId };

/** The last place that was looked at: what the order goes by, and the number of the job. */
export interface JobPlace {
  readonly key: number;
  readonly id: JobId;
}

export interface JobPageAsk {
  readonly filter: JobFilter;
  readonly order: JobOrder;
  /** Null: from the beginning. */
  readonly after: JobPlace | null;
  /** Only jobs that have been run more than once. */
  readonly reruns?: true;
}

/** A part of a list. It may be empty although more follows, since so many jobs are looked at, not found. */
export interface JobPage {
  readonly records: readonly JobRecord[];
  /** Null: this was the last part. */
  readonly next: JobPlace | null;
}

/** A job with what is derived from the rest of the yard. */
export interface JobView {
  readonly job: Job;
  readonly priority: number | null;
  readonly reason: Reason | null;
  /** Output files of its live or last attempt, patterns filled in. */
  readonly stdoutPath: string;
  readonly stderrPath: string | null;
}

/** The machine behind a node, as it is at this moment. */
export interface MachineView {
  /** `x86_64`. */
  readonly architecture: string;
  /** `Linux 6.1.0 #1 SMP …`. */
  readonly system: string;
  readonly bootedAt: number;
  /** The average of the last minute. */
  readonly load: number;
  /** The averages of the last five and of the last fifteen minutes. */
  readonly loadOver5Minutes?: number;
  readonly loadOver15Minutes?: number;
  readonly freeMemoryBytes: number;
  readonly swapBytes?: number;
  readonly freeSwapBytes?: number;
  /** Absent where its kernel does not say. */
  readonly topology?: Topology;
}

/** How many there are of each in the whole machine. */
export interface Topology {
  readonly sockets: number;
  readonly cores: number;
  readonly threads: number;
}

export interface NodeView {
  readonly node: Node;
  /** Absent where nobody has looked. */
  readonly machine?: MachineView;
  readonly cpusUsed: number;
  readonly memoryUsedBytes: number;
  /** By device index: thousandths in use, and by whom. */
  readonly devices: readonly {
    readonly index: number;
    readonly usedMillis: number;
    readonly jobs: readonly JobId[];
  }[];
  readonly jobs: readonly JobId[];
}

export interface QueueView {
  readonly queue: Queue;
  readonly state: QueueState;
  readonly waiting: number;
  readonly running: number;
}

export interface YardView {
  readonly version: string;
  /** What the yard is called. */
  readonly name: string;
  readonly host: string;
  /** The program that mail is sent with; null: there is none, and nothing is sent. */
  readonly mail: string | null;
  readonly pid: number;
  readonly directory: string;
  readonly socket: string;
  readonly startedAt: number;
  readonly user: string;
  /** Jobs under way; ended ones are in the history. */
  readonly counts: Readonly<Record<Exclude<JobPhase, 'ended'>, number>>;
  /** Sentences about the surroundings: which memory limiter is in force, that the home is on NFS, and so on. */
  readonly remarks: readonly string[];
  readonly lastSeq: number;
}

export interface ConfigValue {
  readonly key: string;
  readonly value: string;
  /** `default`, `detected`, or `file:line`. */
  readonly from: string;
}

export interface ConfigView {
  readonly file: string | null;
  readonly values: readonly ConfigValue[];
}

export interface EventFilter {
  readonly job: JobId | null;
  readonly afterSeq: number;
  readonly limit: number;
  /** Take the newest that fit the limit rather than the oldest. */
  readonly newest: boolean;
}

/** A job with everything that is remembered of its runs. */
export interface JobRecord {
  readonly view: JobView;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** Of all attempts, in order. */
  readonly steps: readonly Step[];
}

/** What the processes of a running job use at this moment. */
export interface LiveUsage {
  /** One for each rank of each step that has processes, and of what belongs to no step. */
  readonly parts: readonly PartUsage[];
  /** The most that all of them had in memory together; null where nobody looked. */
  readonly peakMemoryBytes: number | null;
  /** How far its program says it has come; absent: it says nothing. */
  readonly progress?: Progress;
  /** What it has used of its devices so far; absent: it has none, or nobody looks. */
  readonly devices?: readonly DeviceUse[];
}

export interface PartUsage {
  /** Null: no step. */
  readonly step: number | null;
  readonly rank: number;
  readonly pids: readonly number[];
  readonly memoryBytes: number;
  readonly virtualBytes: number;
  /** With what those had used that have ended meanwhile. */
  readonly userCpuMs: number;
  readonly systemCpuMs: number;
}

/** What somebody may use of the yard, and has used of it lately. */
export interface UserShare {
  readonly user: string;
  readonly shares: number;
  /** Seconds of a CPU, a GPU counting as several, faded with age. */
  readonly usedSeconds: number;
  /** 1 for somebody who used nothing, towards 0 for somebody who used much more than their share. */
  readonly factor: number;
}

/** What a yard has been doing since it was opened. */
export interface YardActivity {
  readonly since: number;
  /** Elements of arrays count one by one; started are runs. */
  readonly jobs: {
    readonly submitted: number;
    readonly started: number;
    readonly completed: number;
    readonly cancelled: number;
    readonly failed: number;
  };
  /** Looks of the scheduler at what waits. */
  readonly plans: {
    readonly count: number;
    readonly lastMs: number;
    readonly maxMs: number;
    readonly totalMs: number;
    readonly waitingAtLast: number;
  };
  /** Commands work in slices, with others served in between; in time of the CPU. */
  readonly slices: {
    readonly count: number;
    readonly longestMs: number;
    /** The command whose it was. */
    readonly longestOf: string | null;
    /** How many took more than 20 ms. */
    readonly longCount: number;
  };
}

export interface UserView {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly group: string;
}

export type Trial =
  | { readonly ok: false; readonly refusal: Refusal }
  | {
      readonly ok: true;
      /** The number it would get. */
      readonly job: JobId;
      readonly queue: QueueName;
      /** Null: nobody can say. */
      readonly startAt: number | null;
      readonly placement: Placement | null;
    };

/** The devices of a yard, and who waits for one. */
export interface GpusView {
  /** How they are looked at: `NVML`, `nvidia-smi`, `simulated`; null: nobody looks. */
  readonly source: string | null;
  readonly gpus: readonly GpuView[];
  readonly waiting: readonly { readonly view: JobView; readonly wants: GpuExplanation }[];
}

export interface GpuView {
  readonly node: NodeName;
  readonly device: Device;
  readonly isUp: boolean;
  /** Null: nobody has looked. */
  readonly now: Omit<DeviceNow, 'tenants'> | null;
  /** What is kept for its tenants. */
  readonly reservedBytes: number;
  /** What another job could still have of it, by what is kept and by what is really used. */
  readonly freeBytes: number;
  readonly reservedLoadMillis: number;
  readonly tenants: readonly GpuTenant[];
  /** Jobs that wait and could use this device, the first first. */
  readonly waiting: readonly JobId[];
}

export interface GpuTenant {
  readonly job: JobId;
  readonly displayId: string;
  readonly name: string;
  readonly user: string;
  readonly manner: GpuExplanation['manner'] | 'learning';
  /** A process that the yard did not start has it. */
  readonly isLease: boolean;
  readonly reservedBytes: number;
  /** Null: nobody has looked. */
  readonly now: Omit<TenantNow, 'attempt'> | null;
}

export interface FootprintView {
  readonly footprint: Footprint;
  /** What the next job of this kind gets. */
  readonly estimate: Estimate;
}

/** Question → answer. */
export interface Queries {
  /** Jobs that have not ended; where jobs are named, those, whatever became of them. For few of them. */
  jobs: { ask: JobFilter; answer: readonly JobView[] };
  /** The numbers of all jobs that have not ended, to be asked for in parts. */
  liveJobs: { ask: Record<string, never>; answer: readonly JobId[] };
  /** A part of all jobs, ended or not. The filter's refs and limit are not looked at. */
  jobPage: { ask: JobPageAsk; answer: JobPage };
  /** Those of these jobs that are known and pass the filter, whose refs and limit are not looked at; in this order. */
  records: {
    ask: { readonly jobs: readonly JobId[]; readonly filter: JobFilter };
    answer: readonly JobRecord[];
  };
  job: { ask: { readonly ref: JobRef }; answer: JobDetail | null };
  explain: {
    ask: { readonly ref: JobRef };
    answer: { readonly view: JobView; readonly explanation: Explanation } | null;
  };
  /** What would become of a job if it were submitted now. */
  trial: { ask: { readonly spec: JobSpec }; answer: Trial };
  /** Jobs that have ended and jobs that have not, with their runs and steps; by number. For few of them. */
  accounting: { ask: JobFilter; answer: readonly JobRecord[] };
  /** Null when it does not run. */
  usage: { ask: { readonly ref: JobRef }; answer: LiveUsage | null };
  /** Jobs that wait for their turn, and what their priority is made of. */
  priorities: {
    ask: JobFilter;
    answer: readonly { readonly view: JobView; readonly priority: PriorityBreakdown }[];
  };
  /** Of everybody who has a share of their own or has used the yard; by name. */
  shares: { ask: Record<string, never>; answer: readonly UserShare[] };
  activity: { ask: Record<string, never>; answer: YardActivity };
  policy: { ask: Record<string, never>; answer: Policy };
  /** By name or number. Null: nobody of that name. */
  users: { ask: { readonly names: readonly string[] }; answer: readonly (UserView | null)[] };
  nodes: { ask: { readonly names: readonly NodeName[] | null }; answer: readonly NodeView[] };
  queues: { ask: Record<string, never>; answer: readonly QueueView[] };
  /** By node and index. */
  gpus: { ask: { readonly nodes: readonly NodeName[] | null }; answer: GpusView };
  /** The last one seen first. */
  footprints: { ask: { readonly match: string | null }; answer: readonly FootprintView[] };
  events: { ask: EventFilter; answer: readonly RecordedEvent[] };
  yard: { ask: Record<string, never>; answer: YardView };
  config: { ask: Record<string, never>; answer: ConfigView };
}

export interface JobDetail {
  readonly view: JobView;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  /** Of all attempts, in order. */
  readonly steps: readonly Step[];
  /** The script as submitted; null when it was a plain command. */
  readonly script: string | null;
  readonly elements: readonly JobView[];
}

export type QueryName = keyof Queries;
export type Ask<Q extends QueryName> = Queries[Q]['ask'];
export type Answer<Q extends QueryName> = Queries[Q]['answer'];
export type { AttemptId };
