/**
 * What may be asked of a yard. A command is an imperative and may be refused. People's wishes, the plan of
 * the scheduler and the observations of an engine all arrive in this form.
 */

import type { DeviceUse } from './device-use.ts';
import type { ForeignUse } from './event.ts';
import type { AttemptId, JobId, JobRef, NodeName, QueueName } from './ids.ts';
import type { Exit, LoweredLimit, Placement, Usage } from './job.ts';
import type { JobSpec, SignalScope } from './job-spec.ts';
import type { CheckpointNote, Progress } from './keeping.ts';
import type { Node } from './node.ts';
import type { StepRequest, StepUsage } from './step.ts';

export type Command =
  | UserCommand
  | PlanCommand
  | Observation
  | { readonly type: 'tick' }
  | { readonly type: 'clockJumped'; readonly byMs: number }
  /** The store was put back from a backup of this time, in words; these attempts have claims. */
  | { readonly type: 'storeRestored'; readonly backupOf: string; readonly claimed: readonly AttemptId[] };

export type UserCommand =
  | { readonly type: 'submit'; readonly spec: JobSpec }
  /** At once: it is killed without being asked to end, also when it has been asked already. */
  | { readonly type: 'cancel'; readonly target: JobRef; readonly by: string; readonly atOnce?: boolean }
  | { readonly type: 'hold'; readonly target: JobRef; readonly by: string }
  | { readonly type: 'release'; readonly target: JobRef; readonly by: string }
  /** A live job is stopped and started again; an ended one is queued once more. */
  | { readonly type: 'requeue'; readonly target: JobRef; readonly by: string; readonly hold: boolean }
  | {
      readonly type: 'signal';
      readonly target: JobRef;
      readonly by: string;
      readonly signal: number;
      readonly scope: SignalScope;
    }
  /** Stops every process of a running job where it is; its time limit stands still meanwhile. */
  | { readonly type: 'suspend'; readonly target: JobRef; readonly by: string }
  | { readonly type: 'resume'; readonly target: JobRef; readonly by: string }
  /** Refused with `busy` while other steps use what it needs. */
  | {
      readonly type: 'startStep';
      readonly target: JobRef;
      readonly by: string;
      readonly request: StepRequest;
    }
  | { readonly type: 'stopStep'; readonly target: JobRef; readonly by: string; readonly step: number }
  | { readonly type: 'update'; readonly target: JobRef; readonly by: string; readonly changes: JobChanges }
  | { readonly type: 'drainNode'; readonly node: NodeName; readonly reason: string }
  | { readonly type: 'resumeNode'; readonly node: NodeName }
  /** What is left out stays as it is. */
  | {
      readonly type: 'setQueue';
      readonly queue: QueueName;
      readonly by: string;
      readonly disabled?: boolean;
      readonly suspended?: boolean;
    }
  /** What a kind of job uses, said by somebody; null: what was seen counts again. Left out: it stays as it is. */
  | {
      readonly type: 'setFootprint';
      readonly key: string;
      /** The model of device; null: every model that it is known on. */
      readonly device: string | null;
      readonly by: string;
      readonly memoryBytes?: number | null;
      readonly loadMillis?: number | null;
    }
  | {
      readonly type: 'forgetFootprints';
      /** Null: all of them. */
      readonly keys: readonly string[] | null;
      readonly device: string | null;
      readonly by: string;
    };

/** What can be changed after submission. */
export type JobChanges = Partial<
  Pick<
    JobSpec,
    | 'name'
    | 'comment'
    | 'priority'
    | 'nice'
    | 'limitMs'
    | 'beginAt'
    | 'deadlineAt'
    | 'queue'
    | 'queueChoices'
    | 'requeue'
    | 'chain'
    | 'keeping'
    | 'kind'
    | 'stopSignal'
    | 'suspendSignal'
    | 'streams'
    | 'workDir'
    | 'program'
    | 'origin'
    | 'account'
    | 'qos'
    | 'dependencies'
    | 'resources'
    | 'warning'
    | 'mail'
  >
> & {
  readonly throttle?: number | null;
};

export type PlanCommand =
  | {
      readonly type: 'place';
      readonly job: JobId;
      readonly index: number | null;
      readonly placement: Placement;
      /** Absent: the one that it is in. */
      readonly queue?: QueueName;
    }
  | {
      readonly type: 'preempt';
      readonly job: JobId;
      readonly forJob: JobId;
      /** It is stopped where it is and lends its CPUs; absent or false: it is ended. */
      readonly suspend?: boolean;
    }
  /** The CPUs that it lent are free again: it goes on. */
  | { readonly type: 'giveBack'; readonly job: JobId };

/** What engines saw. They may come late, twice, or out of order, and must then change nothing. */
export type Observation =
  | { readonly type: 'nodesSeen'; readonly nodes: readonly Node[] }
  | { readonly type: 'nodeLost'; readonly node: NodeName; readonly reason: string }
  /** It runs, and has been running for so long. */
  | {
      readonly type: 'attemptRunning';
      readonly attempt: AttemptId;
      readonly forMs: number;
      /** Limits that it has less of than its submitter; absent: none. */
      readonly loweredLimits?: readonly LoweredLimit[];
    }
  | {
      readonly type: 'attemptEnded';
      readonly attempt: AttemptId;
      readonly exit: Exit;
      readonly usage: Usage | null;
      readonly fault: string | null;
      /** How far its program said it had come; absent: it said nothing. */
      readonly progress?: Progress;
    }
  /** Its processes are gone, and what they left is being made safe; `attemptEnded` follows. */
  | {
      readonly type: 'attemptSyncing';
      readonly attempt: AttemptId;
      readonly exit: Exit;
      readonly usage: Usage | null;
      readonly fault: string | null;
    }
  | {
      readonly type: 'checkpointKept';
      readonly attempt: AttemptId;
      readonly checkpoint: CheckpointNote;
    }
  /** Its checkpoints cannot be made safe; null: they can again. */
  | { readonly type: 'checkpointTrouble'; readonly attempt: AttemptId; readonly trouble: string | null }
  | { readonly type: 'overScratch'; readonly attempt: AttemptId; readonly usedBytes: number }
  /** Its machine restarted or its shim vanished: nobody knows how it ended. */
  | { readonly type: 'attemptLost'; readonly attempt: AttemptId; readonly reason: string }
  | {
      readonly type: 'stepEnded';
      readonly attempt: AttemptId;
      readonly step: number;
      readonly exit: Exit;
      readonly usage: StepUsage | null;
    }
  | { readonly type: 'warningSent'; readonly attempt: AttemptId }
  | { readonly type: 'signalSent'; readonly attempt: AttemptId; readonly n: number }
  /** It uses more of a device than is kept for it; or it has run for so long that what it uses may count. */
  | {
      readonly type: 'deviceUseSeen';
      readonly attempt: AttemptId;
      readonly uses: readonly DeviceUse[];
      readonly ranMs: number;
    }
  /** What others than the yard's jobs use of the devices of a node; devices that are left out: nothing. */
  | { readonly type: 'foreignUseSeen'; readonly node: NodeName; readonly foreign: readonly ForeignUse[] }
  | { readonly type: 'overMemory'; readonly attempt: AttemptId; readonly usedBytes: number };
