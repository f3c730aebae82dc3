/**
 * How a dialect's command is written: as a generator that asks for what it needs (a file, stdin, a command
 * or a query to the yard, time to pass) and is given the answer. It does no I/O itself, so a test can run it
 * with made-up answers, and the yard runs it with real ones.
 *
 *   function* hold(invocation: Invocation): Program {
 *     const result = yield* command({ type: 'hold', … });
 *     yield* printOut('held\n');
 *     return 0;
 *   }
 */

import { printableLines } from '../model/bytes.ts';
import type { UserCommand } from '../model/command.ts';
import type { BlobHash, JobId } from '../model/ids.ts';
import type { CallerProcess } from '../model/job-spec.ts';
import type { CheckpointsAnswer, CheckpointsAsk, CodeSnapshot } from '../model/keeping.ts';
import type { Answer, Ask, QueryName } from '../model/query.ts';
import type { Refusal } from '../model/refusal.ts';
import type { RunHere } from '../model/run-here.ts';

/** One command as somebody typed it. */
export interface Invocation {
  /** argv[0] is the name it was called by: `trainyard`, later `sbatch`, `qsub`. */
  readonly argv: readonly string[];
  readonly workDir: string;
  /** `NAME=value` pairs each ended by NUL, byte for byte. */
  readonly environment: Uint8Array;
  readonly umask: number;
  /** Letters as in `ulimit -X` → soft value. */
  readonly ulimits: Readonly<Record<string, string>>;
  readonly user: string;
  readonly uid: number;
  /** The process that asks; null when the kernel does not say. */
  readonly process: CallerProcess | null;
  /** What an earlier yard gave this caller to go on with, after it went away; null for a new caller. */
  readonly ticket: string | null;
  readonly terminal: Terminal;
  /** Minutes east of UTC is not enough (summer time): an IANA zone name. */
  readonly timeZone: string;
}

export interface Terminal {
  /** Whether each stream of the caller is a terminal. */
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly columns: number;
  readonly colour: boolean;
}

export type Question =
  | { readonly kind: 'readFile'; readonly path: string; readonly maxBytes: number }
  | { readonly kind: 'readStdin'; readonly maxBytes: number }
  /** The next line of stdin, without its end; null when there is none, or it is longer than anybody types. */
  | { readonly kind: 'readLine' }
  /** Makes the file, with the caller's umask, or changes what is in it. */
  | {
      readonly kind: 'writeFile';
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly append: boolean;
    }
  /** A second file with the same contents and mode, whole or not at all. */
  | {
      readonly kind: 'copyFile';
      readonly from: string;
      readonly to: string;
      readonly manner: CopyManner;
    }
  /** The first program of this name in the directories of a PATH; null: none. */
  | { readonly kind: 'findProgram'; readonly name: string; readonly path: string }
  | { readonly kind: 'keepBlob'; readonly bytes: Uint8Array }
  | { readonly kind: 'command'; readonly command: UserCommand }
  | { readonly kind: 'query'; readonly name: QueryName; readonly ask: unknown }
  | { readonly kind: 'print'; readonly stream: 'stdout' | 'stderr'; readonly data: string | Uint8Array }
  | { readonly kind: 'now' }
  /** In the middle of much work: others may be served first, and the program may be ended here. */
  | { readonly kind: 'pause' }
  /**
   * Resumes when one of the jobs changes its phase or one of its steps begins or ends, or after the time. A program
   * that takes signals is also resumed by one that the caller got, and given its number; others are ended by it.
   * A signal that comes while such a program is busy waits for its next wait.
   */
  | {
      readonly kind: 'awaitChange';
      readonly jobs: readonly JobId[];
      readonly timeoutMs: number | null;
      readonly takesSignals: boolean;
    }
  /**
   * What is to be done should the caller go away, or the program fail, before it has ended or handed over; null:
   * nothing any more. It is not done when only the yard goes away and the caller has a ticket for the next one.
   */
  | { readonly kind: 'whenCallerGoes'; readonly command: UserCommand | null }
  /** A caller whose yard goes away comes to the next one with this. */
  | { readonly kind: 'giveTicket'; readonly ticket: string }
  /** Hands over to the caller, which runs this and ends with its status: the program is over. */
  | { readonly kind: 'runHere'; readonly run: RunHere }
  /** Resumes when the log has an event after `seq`. */
  | { readonly kind: 'awaitEvent'; readonly afterSeq: number }
  /** Reads what the file has from `offset` on; waits up to timeoutMs for it to grow. Null: no such file. */
  | {
      readonly kind: 'readFrom';
      readonly path: string;
      readonly offset: number;
      readonly maxBytes: number;
      readonly timeoutMs: number;
    }
  /** Something about what a job has kept. It may read or copy much, so it may take long. */
  | { readonly kind: 'checkpoints'; readonly job: JobId; readonly ask: CheckpointsAsk }
  /** The code around this directory as it is now, kept for a job about to be submitted. */
  | { readonly kind: 'takeSnapshot'; readonly directory: string }
  | { readonly kind: 'stopYard' };

export type Program = Generator<Question, number, unknown>;
export type Asking<T> = Generator<Question, T, unknown>;

export type ReadResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly error: 'missing' | 'directory' | 'denied' | 'tooLarge' | 'unreadable' };

export interface CopyManner {
  /** In place of a file that is there. */
  readonly replace: boolean;
  /** With the times of the first one. */
  readonly keepTimes: boolean;
}

export type CopyResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly of: 'source' | 'target';
      readonly error: 'missing' | 'directory' | 'denied' | 'exists' | 'unusable';
    };

export type WriteResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: 'missing' | 'directory' | 'denied' | 'unwritable' };

export interface CommandDone {
  readonly ok: true;
  /** The job it was about; a new one's number after submit. */
  readonly job: JobId | null;
  /** The number of the step, after startStep. */
  readonly step: number | null;
  /** False when the yard was already in that state. */
  readonly changed: boolean;
}

export type CommandResult = CommandDone | { readonly ok: false; readonly refusal: Refusal };

export function* readFile(path: string, maxBytes: number): Asking<ReadResult> {
  return (yield { kind: 'readFile', path, maxBytes }) as ReadResult;
}

export function* readStdin(maxBytes: number): Asking<ReadResult> {
  return (yield { kind: 'readStdin', maxBytes }) as ReadResult;
}

export interface FoundProgram {
  readonly path: string;
  /** Where it is once links are followed. */
  readonly realPath: string;
}

export function* readLine(): Asking<string | null> {
  return (yield { kind: 'readLine' }) as string | null;
}

export function* writeFile(path: string, bytes: Uint8Array): Asking<WriteResult> {
  return (yield { kind: 'writeFile', path, bytes, append: false }) as WriteResult;
}

export function* appendToFile(path: string, bytes: Uint8Array): Asking<WriteResult> {
  return (yield { kind: 'writeFile', path, bytes, append: true }) as WriteResult;
}

export function* copyFile(from: string, to: string, manner: CopyManner): Asking<CopyResult> {
  return (yield { kind: 'copyFile', from, to, manner }) as CopyResult;
}

export function* findProgram(name: string, path: string): Asking<FoundProgram | null> {
  return (yield { kind: 'findProgram', name, path }) as FoundProgram | null;
}

/** Keeps bytes for a job about to be submitted; they become durable together with it. */
export function* keepBlob(bytes: Uint8Array): Asking<BlobHash> {
  return (yield { kind: 'keepBlob', bytes }) as BlobHash;
}

export function* command(command: UserCommand): Asking<CommandResult> {
  return (yield { kind: 'command', command }) as CommandResult;
}

export function* query<Q extends QueryName>(name: Q, ask: Ask<Q>): Asking<Answer<Q>> {
  return (yield { kind: 'query', name, ask }) as Answer<Q>;
}

/** Text is made safe for a terminal, whatever is in it; bytes (a job's output, its script) are sent as they are. */
export function* printOut(data: string | Uint8Array): Asking<void> {
  yield { kind: 'print', stream: 'stdout', data: safe(data) };
}

export function* printErr(data: string | Uint8Array): Asking<void> {
  yield { kind: 'print', stream: 'stderr', data: safe(data) };
}

function safe(data: string | Uint8Array): string | Uint8Array {
  return typeof data === 'string' ? printableLines(data) : data;
}

export function* clock(): Asking<number> {
  return (yield { kind: 'now' }) as number;
}

export function* pause(): Asking<void> {
  yield { kind: 'pause' };
}

export function* awaitChange(jobs: readonly JobId[], timeoutMs: number | null): Asking<void> {
  yield { kind: 'awaitChange', jobs, timeoutMs, takesSignals: false };
}

/** The number of a signal that the caller got meanwhile; null when something else ended the wait. */
export function* awaitChangeOrSignal(
  jobs: readonly JobId[],
  timeoutMs: number | null,
): Asking<number | null> {
  return (yield { kind: 'awaitChange', jobs, timeoutMs, takesSignals: true }) as number | null;
}

export function* whenCallerGoes(command: UserCommand | null): Asking<void> {
  yield { kind: 'whenCallerGoes', command };
}

export function* giveTicket(ticket: string): Asking<void> {
  yield { kind: 'giveTicket', ticket };
}

/** Nothing after this is carried out. */
export function* runHere(run: RunHere): Asking<number> {
  yield { kind: 'runHere', run };
  return 0;
}

export function* awaitEvent(afterSeq: number): Asking<void> {
  yield { kind: 'awaitEvent', afterSeq };
}

export function* readFrom(
  path: string,
  offset: number,
  maxBytes: number,
  timeoutMs: number,
): Asking<Uint8Array | null> {
  return (yield { kind: 'readFrom', path, offset, maxBytes, timeoutMs }) as Uint8Array | null;
}

export type CheckpointsResult =
  | ({ readonly ok: true } & CheckpointsAnswer)
  | { readonly ok: false; readonly refusal: Refusal };

export type SnapshotResult =
  | { readonly ok: true; readonly snapshot: CodeSnapshot }
  | { readonly ok: false; readonly refusal: Refusal };

export function* askCheckpoints(job: JobId, ask: CheckpointsAsk): Asking<CheckpointsResult> {
  return (yield { kind: 'checkpoints', job, ask }) as CheckpointsResult;
}

export function* takeSnapshot(directory: string): Asking<SnapshotResult> {
  return (yield { kind: 'takeSnapshot', directory }) as SnapshotResult;
}

export function* stopYard(): Asking<void> {
  yield { kind: 'stopYard' };
}
