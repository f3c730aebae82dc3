/**
 * Facts, in the past tense: the only way in which state changes. The log of them is the truth; each carries
 * all that `apply` needs, so that replaying the log gives the same state.
 */

import type { JobChanges } from './command.ts';
import type { Footprint } from './footprint.ts';
import type { AttemptId, JobId, NodeName, QueueName } from './ids.ts';
import type {
  AskedAgain,
  DeviceShare,
  Exit,
  Hold,
  LoweredLimit,
  Outcome,
  Placement,
  StopCause,
  SuspensionCause,
  Usage,
} from './job.ts';
import type { JobSpec, SignalScope } from './job-spec.ts';
import type { CheckpointNote, Progress } from './keeping.ts';
import type { Node } from './node.ts';
import type { QueueState } from './policy.ts';
import type { Step, StepUsage } from './step.ts';

export type Event = { readonly at: number } & EventBody;

export type EventBody =
  | {
      readonly type: 'jobSubmitted';
      readonly job: JobId;
      readonly spec: JobSpec;
      readonly phase: 'held' | 'waiting' | 'pending';
    }
  /** An element of an array got a record of its own, because it starts or is treated apart. */
  | { readonly type: 'elementSplit'; readonly job: JobId; readonly array: JobId; readonly index: number }
  /** Elements that never started ended together, without records of their own. */
  | {
      readonly type: 'unstartedDropped';
      readonly job: JobId;
      readonly outcome: Outcome;
      readonly by: string | null;
    }
  | { readonly type: 'jobHeld'; readonly job: JobId; readonly hold: Hold }
  | { readonly type: 'jobWaiting'; readonly job: JobId }
  | { readonly type: 'jobPending'; readonly job: JobId }
  | { readonly type: 'jobUpdated'; readonly job: JobId; readonly changes: JobChanges; readonly by: string }
  | {
      readonly type: 'attemptAssigned';
      readonly job: JobId;
      readonly attempt: AttemptId;
      /** Where it starts in another of the queues that would do; it is in that one from now on. */
      readonly queue?: QueueName;
      readonly placement: Placement;
    }
  | {
      readonly type: 'attemptStarted';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly startedAt: number;
      /** Limits that it has less of than its submitter; absent: none. */
      readonly loweredLimits?: readonly LoweredLimit[];
    }
  /** How long it has really been running, where the clock had been set while nobody was looking. */
  | {
      readonly type: 'attemptTimed';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly clockFrom: number;
    }
  | { readonly type: 'warningDue'; readonly job: JobId; readonly attempt: AttemptId }
  | { readonly type: 'warningSent'; readonly job: JobId; readonly attempt: AttemptId }
  | {
      readonly type: 'stopRequested';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly cause: StopCause;
      readonly by: string | null;
      readonly killAt: number;
      /** It is killed without being asked to end first. */
      readonly isKill?: boolean;
    }
  | { readonly type: 'killDue'; readonly job: JobId; readonly attempt: AttemptId }
  | {
      readonly type: 'signalRequested';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly n: number;
      readonly signal: number;
      readonly scope: SignalScope;
      readonly by: string;
    }
  /** It has been told that it will be suspended. */
  | {
      readonly type: 'suspendAnnounced';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly by: string;
      readonly cause: SuspensionCause;
      /** Which job it makes room for; absent: that is not why. */
      readonly forJob?: JobId;
      readonly suspendAt: number;
    }
  /** Or has one more reason to stay so. */
  | {
      readonly type: 'attemptSuspended';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly by: string;
      /** Absent: somebody asked for it. */
      readonly cause?: SuspensionCause;
      /** Which job it makes room for; absent: that is not why. */
      readonly forJob?: JobId;
    }
  /** Or stays suspended for the other cause, or will not be suspended after all. */
  | {
      readonly type: 'attemptResumed';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly by: string;
      /** Absent: whatever it was suspended for. */
      readonly cause?: SuspensionCause;
    }
  | { readonly type: 'stepStarted'; readonly job: JobId; readonly step: Step }
  | {
      readonly type: 'stepStopRequested';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly n: number;
      readonly by: string;
    }
  | {
      readonly type: 'stepEnded';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly n: number;
      readonly exit: Exit;
      readonly usage: StepUsage | null;
    }
  | { readonly type: 'signalSent'; readonly job: JobId; readonly attempt: AttemptId; readonly n: number }
  | {
      readonly type: 'attemptEnded';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly exit: Exit;
      readonly usage: Usage | null;
      readonly fault: string | null;
      readonly progress?: Progress;
    }
  /** Its processes are gone and its place is free; what they left is being made safe. */
  | {
      readonly type: 'attemptSyncing';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly exit: Exit;
      readonly usage: Usage | null;
      readonly fault: string | null;
    }
  | {
      readonly type: 'checkpointKept';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly checkpoint: CheckpointNote;
    }
  /** What keeps its checkpoints from being safe; null: nothing any more. */
  | {
      readonly type: 'checkpointTroubled';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly trouble: string | null;
    }
  /** More or less of a device is kept for it from now on. */
  | {
      readonly type: 'deviceShareChanged';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly node: NodeName;
      readonly share: DeviceShare;
      /** It was seen to use more than was kept for it; or what it uses is known well enough. */
      readonly because: 'grown' | 'known';
    }
  | {
      readonly type: 'attemptLost';
      readonly job: JobId;
      readonly attempt: AttemptId;
      readonly reason: string;
    }
  | {
      readonly type: 'jobRequeued';
      readonly job: JobId;
      readonly why: string;
      readonly hold: Hold | null;
      /** How many short runs in a row have asked for another one, this one included. */
      readonly fruitless?: number;
      /** The exit code that asked for it; absent: none did. */
      readonly askedAgain?: AskedAgain;
      /** How many in a row have brought it no further, this one included. */
      readonly stagnant?: number;
      /** The run had brought it further. */
      readonly isFurther?: boolean;
    }
  | {
      readonly type: 'jobEnded';
      readonly job: JobId;
      readonly outcome: Outcome;
      readonly note: string | null;
      readonly by: string | null;
    }
  | { readonly type: 'nodeSeen'; readonly node: Node }
  | { readonly type: 'nodeGone'; readonly node: NodeName }
  | { readonly type: 'nodeDrained'; readonly node: NodeName; readonly reason: string }
  | { readonly type: 'nodeResumed'; readonly node: NodeName }
  | { readonly type: 'nodeLost'; readonly node: NodeName; readonly reason: string }
  | {
      readonly type: 'queueChanged';
      readonly queue: QueueName;
      readonly state: QueueState;
      readonly by: string;
    }
  /** What is known of a kind of job now. */
  | {
      readonly type: 'footprintLearned';
      readonly footprint: Footprint;
      /** The attempt that taught it; null: somebody said it. */
      readonly attempt: AttemptId | null;
      readonly by: string | null;
    }
  | {
      readonly type: 'footprintForgotten';
      readonly key: string;
      readonly device: string;
      readonly by: string;
    }
  /** What others than the yard's jobs use of the devices of a node. */
  | { readonly type: 'foreignUseSeen'; readonly node: NodeName; readonly foreign: readonly ForeignUse[] }
  | { readonly type: 'clockJumped'; readonly byMs: number };

export interface ForeignUse {
  readonly index: number;
  readonly bytes: number;
}

export type EventType = EventBody['type'];

/** An event with its place in the log. */
export interface RecordedEvent {
  readonly seq: number;
  readonly event: Event;
}

export function jobOfEvent(event: Event): JobId | null {
  return 'job' in event ? event.job : null;
}
