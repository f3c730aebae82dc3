/**
 * What somebody asked for: the one form into which every dialect translates. Nothing here changes after
 * submission except through an explicit update, and nothing here is about how the job is going.
 */

import type { BlobHash, JobId, NodeName, QueueName } from './ids.ts';
import type { Keeping } from './keeping.ts';
import type { RangeSet } from './ranges.ts';

export interface JobSpec {
  readonly name: string;
  readonly user: string;
  readonly account: string | null;
  /** The class of service it asked for; null: the yard's plain one. */
  readonly qos: string | null;
  readonly queue: QueueName;
  /** Queues that would do as well, the preferred one first and `queue` among them; absent: that one alone. */
  readonly queueChoices?: readonly QueueName[];
  readonly program: Program;
  readonly workDir: string;
  readonly streams: Streams;
  readonly resources: ResourceRequest;
  /** How long one attempt may run; null: as long as it likes. */
  readonly limitMs: number | null;
  readonly warning: Warning | null;
  readonly array: ArraySpec | null;
  readonly dependencies: Dependencies | null;
  readonly beginAt: number | null;
  /** The job must have ended by then; it is cancelled when it cannot. */
  readonly deadlineAt: number | null;
  readonly held: boolean;
  /** Added to the computed priority: what the submitter asked for, minus nice. */
  readonly priority: number;
  readonly nice: number;
  /** May be started again after preemption, a lost node, or an exit code that asks for it. */
  readonly requeue: boolean;
  /** What becomes of it after a run that went wrong; absent: what the yard's policy says. */
  readonly aftermath?: Aftermath;
  /** By which it is asked to end, ahead of being killed; SIGKILL: it is not asked. Absent: SIGTERM. */
  readonly stopSignal?: number;
  /** Sent ahead of being suspended, by as long as its queue gives to those who end; absent: no notice. */
  readonly suspendSignal?: number;
  /** Goes on in another run when its time limit ends one, as often as it takes. */
  readonly chain?: boolean;
  /** What is looked after over its runs; absent: nothing. */
  readonly keeping?: Keeping;
  /** What its submitter calls this kind of job: those of one kind use GPUs alike. Absent: its command tells. */
  readonly kind?: string;
  /** Where a line about its GPUs is added every minute, as a pattern like stdout's; absent: nowhere. */
  readonly gpuLog?: string;
  readonly comment: string | null;
  readonly mail: MailRequest | null;
  readonly origin: Origin;
}

/** A run that asks for another one, and one that leaves the job held in error until somebody looks at it. */
export interface Aftermath {
  /** Exit codes by which a run asks for another one, whether or not the job may be requeued otherwise. */
  readonly againExitCodes: readonly number[];
  readonly errorExitCodes: readonly number[];
  /** Also when it could not be started: its directory or one of its files could not be had. */
  readonly faultsAreErrors: boolean;
}

/** What is executed. Large parts are kept once, by hash, since thousands of jobs share them. */
export interface Program {
  /** The script as submitted; null when the job is a plain command. */
  readonly script: BlobHash | null;
  /** With a script: its arguments. Without: the command and its arguments. */
  readonly argv: readonly string[];
  /** What a script is run by, its path and arguments following; absent: what its first line says. */
  readonly interpreter?: readonly string[];
  /** `NAME=value` pairs, each ended by a NUL, exactly as the submitter's kernel had them. */
  readonly environment: BlobHash;
  readonly umask: number;
  /** Soft limits of the submitter's shell: rlimit letter as `ulimit` knows it → value or 'unlimited'. */
  readonly ulimits: Readonly<Record<string, string>>;
  /**
   * One process, or one per rank; or none by the yard: whoever asked for the place (an `srun`, a `salloc`)
   * runs something in it, and gives it back by ending.
   */
  readonly spread: 'once' | 'everyRank' | 'caller';
  /** With `caller`: who that is. When it has gone, so has the job. */
  readonly caller: CallerProcess | null;
}

/** A process that cannot be mistaken for a later one with the same number. */
export interface CallerProcess {
  readonly pid: number;
  readonly startTicks: number;
  readonly bootId: string;
}

export interface MailRequest {
  readonly to: string;
  readonly on: readonly MailOccasion[];
}

export type MailOccasion =
  | 'begin'
  | 'end'
  | 'fail'
  | 'requeue'
  | 'invalidDependency'
  | 'timeLimit'
  | 'timeLimit90'
  | 'timeLimit80'
  | 'timeLimit50'
  | 'eachElement'
  /** It was ended by somebody, or could not be started. */
  | 'abort'
  | 'suspend';

/** Paths are patterns: %j job, %A array, %a index, %x name, %u user, %N node, %t rank, %r restart, %%. */
export interface Streams {
  readonly stdin: string | null;
  readonly stdout: string;
  /** Null: the same file as stdout. */
  readonly stderr: string | null;
  /** What the first attempt does to a file that is there. Later attempts append unless 'truncateAlways'. */
  readonly openMode: 'truncate' | 'append' | 'truncateAlways';
  readonly makeDirectories: boolean;
}

export interface ResourceRequest {
  readonly nodes: { readonly min: number; readonly max: number };
  readonly ranks: number;
  /** As many ranks as can be had at once, up to so many; absent: exactly `ranks`. */
  readonly ranksMax?: number;
  readonly ranksPerNode: number | null;
  /**
   * Over as many nodes as it may have, one rank on each in turn; or over as few as it can, one full before the next.
   * Absent: over as few as it can, evenly.
   */
  readonly spread?: 'wide' | 'fill';
  /** By whose name its ranks were asked for; all jobs with the same one share what it allows. */
  readonly layout?: string;
  readonly cpusPerRank: number;
  /** True when somebody asked for CPUs, so that pinning to them is no surprise. */
  readonly cpusAsked: boolean;
  readonly memory: MemoryRequest | null;
  readonly gpus: GpuRequest | null;
  readonly exclusive: boolean;
  /** `a&b`, `a|b`, parentheses, `!a`: over the features of a node. */
  readonly constraint: string | null;
  readonly onlyNodes: readonly NodeName[];
  readonly exceptNodes: readonly NodeName[];
}

export interface MemoryRequest {
  /** 0: all that a node has. */
  readonly bytes: number;
  readonly per: 'node' | 'rank' | 'cpu';
  /** True: it is kept for the job, but using more has no consequences. */
  readonly isUnlimited?: boolean;
}

export interface GpuRequest {
  readonly count: number;
  readonly per: 'job' | 'node' | 'rank';
  readonly kind: string | null;
  /** Thousandths of each device: 1000 is a whole one. */
  readonly shareMillis: number;
  /**
   * As much of each device as its kind was seen to use, beside others; or whole devices, whatever its queue says. Absent
   * at submission: what the queue says; absent after it: just what `shareMillis` says.
   */
  readonly sharing?: 'auto' | 'whole';
  /** Frameworks are told to use no more of a shared device than it was given. */
  readonly isLimited?: boolean;
  /** Only these would do, by the names under which programs see them; absent: any. */
  readonly onlyDevices?: readonly string[];
}

/** A signal ahead of the time limit, or so long after the start. */
export interface Warning {
  readonly signal: number;
  readonly beforeMs: number;
  /** Counted from the start, with or without a limit; `beforeMs` says nothing then. */
  readonly afterMs?: number;
  readonly scope: SignalScope;
}

/** The main process alone, every process of the attempt, or the processes of all its steps, or of one. */
export type SignalScope = 'main' | 'all' | 'steps' | { readonly step: number };

export interface ArraySpec {
  readonly indices: RangeSet;
  /** At most so many elements at once. */
  readonly throttle: number | null;
}

export interface Dependencies {
  /** All of the terms, or any one of them. */
  readonly need: 'all' | 'any';
  readonly terms: readonly DependencyTerm[];
}

/** What may be asked of another job. */
export const JOB_TERM_KINDS = [
  'after',
  'afterok',
  'afternotok',
  'afterany',
  'aftercorr',
  'aftercorrany',
] as const;

export type JobTermKind = (typeof JOB_TERM_KINDS)[number];

export type DependencyTerm =
  | {
      readonly kind: JobTermKind;
      readonly job: JobId;
      readonly index: number | null;
      /** With `after`: so long after the other has begun. */
      readonly delayMs?: number;
    }
  | { readonly kind: 'singleton' };

/** How it was said, for those who must say it back: verbatim words that JobSpec has no place for. */
export interface Origin {
  readonly dialect: string;
  readonly words: Readonly<Record<string, string>>;
}

/** Whether the yard's exit codes that ask for another run are heard: of batch scripts, and of all that is chained. */
export function mayAskAgain({ program, requeue, chain = false }: JobSpec): boolean {
  const isBatchScript = program.spread === 'once' && program.script !== null;
  return requeue && (isBatchScript || (chain && program.spread !== 'caller'));
}
