/**
 * Runs a dialect's program: answers each of its questions with the real yard, the real files and the real
 * caller, and turns whatever goes wrong into one sentence and an exit code. It knows no dialect and no wire.
 */

import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import type { Program, Question, ReadResult, SnapshotResult } from '../dialects/program.ts';
import { bytesFromText, printable } from '../model/bytes.ts';
import type { UserCommand } from '../model/command.ts';
import type { Ask, QueryName } from '../model/query.ts';
import { Fault, type Refusal, RefusalError } from '../model/refusal.ts';
import type { RunPlan } from '../model/run-plan.ts';
import { copyOneFile } from './copy-file.ts';
import { findProgramIn, readWholeFile, writeWholeFile } from './files.ts';
import { readGrowing, untilEvent, untilJobsChange } from './follow.ts';
import type { Yard } from './yard.ts';

export interface ConductServices {
  readonly yard: Yard;
  /** The command's name, which begins every complaint. */
  readonly name: string;
  /** Who the caller is. */
  readonly user: string;
  /** Relative paths are meant from here. */
  readonly workDir: string;
  /** What is withheld from others in files made for the caller. */
  readonly umask: number;
  /** Ends the program; its reason is an Interruption, or anything when nobody is left to be told. */
  readonly signal: AbortSignal;
  /** Resolves when there is room for more. */
  readonly write: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => Promise<void>;
  readonly readStdin: (maxBytes: number) => Promise<ReadResult>;
  readonly readLine: () => Promise<string | null>;
  /** From now on signals of the caller wait here for the program; it is told of the next one, once. */
  readonly nextSignal: (take: (signal: number) => void) => () => void;
  /** What the caller brings along to the next yard. */
  readonly giveTicket: (ticket: string) => void;
  /** Hands over to the caller: the command is not ended by us any more. */
  readonly handOver: (plan: RunPlan) => void;
  /** The code around a directory, for a job about to be submitted. */
  readonly takeSnapshot: (directory: string) => Promise<SnapshotResult>;
  readonly stop: () => void;
  readonly log: (line: string) => void;
}

/** Why a program was stopped from outside. */
export interface Interruption {
  readonly exitCode: number;
  readonly message: string | null;
  /** Only the yard goes away: the caller may go on with the next one. */
  readonly callerStays?: boolean;
  /**
   * The caller got a signal, and is still there. What it asked for may be the reason (`scontrol requeue` of the job that
   * it is in), so a program ends where it would wait next, not in the middle of a deed of which its caller must hear.
   */
  readonly bySignal?: boolean;
}

/** How a program ended: with an exit code, or by leaving the rest to the caller. */
export type Conducted = number | 'handedOver';

export const EXIT_FAILURE = 1;
/** EX_SOFTWARE of sysexits: the fault is in the program itself. */
const EXIT_DEFECT = 70;

const STDIN_NAMES: readonly string[] = ['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];

export async function conduct(program: Program, services: ConductServices): Promise<Conducted> {
  const { signal } = services;
  const promises: Promises = { whenCallerGoes: null, hasTicket: false, isAnswerShort: false };
  const answer = answering(services, promises);
  const slice = services.yard.slices.open(services.name);
  try {
    let turn = slice.run(() => program.next());
    while (!turn.done) {
      const { value: question } = turn;
      if (slice.isUsedUp()) await slice.turn();
      else if (question.kind === 'pause') {
        turn = slice.run(() => program.next());
        continue;
      }
      const outcome = await settle(
        slice.run(() => answer(question)),
        question,
        signal,
      );
      if (outcome.kind === 'interrupted') return await interrupt(program, services, promises);
      if (question.kind === 'runHere' && outcome.kind === 'answer') {
        services.handOver(outcome.value as RunPlan);
        return 'handedOver';
      }
      turn = slice.run(() =>
        outcome.kind === 'answer' ? program.next(outcome.value) : program.throw(outcome.error),
      );
    }
    if (promises.isAnswerShort)
      for (const remark of services.yard.unreadable.remarks()) await say(remark, services);
    return turn.value;
  } catch (error) {
    keepPromise(services, promises);
    return complain(error, services);
  }
}

/** What is to be done at the end. */
interface Promises {
  /** What the program said about the time when its caller is not there any more. */
  whenCallerGoes: UserCommand | null;
  hasTicket: boolean;
  /** Something that cannot be read was left out of an answer. */
  isAnswerShort: boolean;
}

/** Nobody is left to be told how it went. */
function keepPromise({ yard, log }: ConductServices, { whenCallerGoes }: Promises): void {
  if (whenCallerGoes === null) return;
  yard.command(whenCallerGoes).catch((error: unknown) => {
    log(`after its caller had gone, ${whenCallerGoes.type} failed: ${String(error)}`);
  });
}

type Outcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'interrupted' };

/** What may last as long as it likes. Everything else is done soon, and then it is known what has become of it. */
const WAITS: ReadonlySet<Question['kind']> = new Set<Question['kind']>([
  'readFile',
  'readStdin',
  'readLine',
  'pause',
  'awaitChange',
  'awaitEvent',
  'readFrom',
  'checkpoints',
]);

/** Whether the question is answered although the program is to end. */
function isFinished({ kind }: Question, reason: unknown): boolean {
  return isInterruption(reason) && reason.bySignal === true && !WAITS.has(kind);
}

/** Waits for the answer or for the end, whichever comes first; an answer that comes too late is dropped. */
function settle(answer: Promise<unknown>, question: Question, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolveOutcome) => {
    const interrupted = () => {
      // A reader who takes nothing any more must not keep it.
      if (question.kind === 'print' || !isFinished(question, signal.reason))
        resolveOutcome({ kind: 'interrupted' });
    };
    if (signal.aborted && !isFinished(question, signal.reason)) resolveOutcome({ kind: 'interrupted' });
    else if (signal.aborted && question.kind === 'print')
      resolveOutcome({ kind: 'answer', value: undefined });
    signal.addEventListener('abort', interrupted);
    const give = (outcome: Outcome) => {
      signal.removeEventListener('abort', interrupted);
      const isOver = signal.aborted && !isFinished(question, signal.reason);
      resolveOutcome(isOver ? { kind: 'interrupted' } : outcome);
    };
    answer.then(
      (value) => give({ kind: 'answer', value }),
      (error) => give({ kind: 'error', error }),
    );
  });
}

function answering(services: ConductServices, promises: Promises): (question: Question) => Promise<unknown> {
  const { yard, signal } = services;
  const pathOf = (path: string) => resolve(services.workDir, path);
  // What the program may not have seen yet begins here: it looks again after each wait.
  let seenSeq = yard.lastSeq();

  return async (question) => {
    switch (question.kind) {
      case 'readFile':
        if (STDIN_NAMES.includes(question.path)) return services.readStdin(question.maxBytes);
        return readWholeFile(pathOf(question.path), question.maxBytes);
      case 'readStdin':
        return services.readStdin(question.maxBytes);
      case 'readLine':
        return services.readLine();
      case 'writeFile': {
        const { bytes, append } = question;
        return writeWholeFile(pathOf(question.path), bytes, { append, mode: 0o666 & ~services.umask });
      }
      case 'copyFile':
        return copyOneFile(pathOf(question.from), pathOf(question.to), question.manner);
      case 'findProgram':
        return findProgramIn(question.path.split(':').map(pathOf), question.name);
      case 'keepBlob':
        return yard.keepBlob(question.bytes);
      case 'command':
        return yard.command(question.command);
      case 'query': {
        const before = yard.unreadable.leftOut();
        const answer = yard.query(question.name, question.ask as Ask<QueryName>);
        promises.isAnswerShort ||=
          yard.unreadable.leftOut() > before || (question.name === 'jobs' && yard.unreadable.hasUnended());
        return answer;
      }
      case 'checkpoints':
        return yard.checkpoints(question.job, question.ask, services.user);
      case 'takeSnapshot':
        return services.takeSnapshot(pathOf(question.directory));
      case 'print':
        return services.write(question.stream, asBytes(question.data));
      case 'now':
        return yard.now();
      case 'pause':
        return undefined;
      case 'awaitChange': {
        const { jobs, timeoutMs, takesSignals } = question;
        const changed = (until: AbortSignal) => untilJobsChange(yard, jobs, seenSeq, timeoutMs, until);
        const taken = takesSignals ? await changedOrSignal(changed, services) : await changed(signal);
        seenSeq = yard.lastSeq();
        return taken ?? null;
      }
      case 'whenCallerGoes':
        promises.whenCallerGoes = question.command;
        return undefined;
      case 'giveTicket':
        promises.hasTicket = true;
        return services.giveTicket(question.ticket);
      case 'awaitEvent':
        return untilEvent(yard, question.afterSeq, signal);
      case 'readFrom': {
        const { offset, maxBytes, timeoutMs } = question;
        const path = pathOf(question.path);
        return (await readGrowing({ path, offset, maxBytes, timeoutMs, signal }))?.bytes ?? null;
      }
      case 'stopYard':
        return services.stop();
      case 'runHere':
        return yard.planRun(question.run);
    }
  };
}

/** The signal that came before the change, if one did. */
async function changedOrSignal(
  changed: (until: AbortSignal) => Promise<void>,
  { signal, nextSignal }: ConductServices,
): Promise<number | null> {
  let taken: number | null = null;
  const enough = new AbortController();
  const forget = nextSignal((number) => {
    taken = number;
    enough.abort();
  });
  await changed(AbortSignal.any([signal, enough.signal]));
  forget();
  return taken;
}

/** Lets the program's `finally` blocks run. What they ask is not answered any more. */
async function interrupt(program: Program, services: ConductServices, promises: Promises): Promise<number> {
  const reason: unknown = services.signal.reason;
  const exitCode = isInterruption(reason) ? reason.exitCode : EXIT_FAILURE;
  const callerStays = isInterruption(reason) && reason.callerStays === true && promises.hasTicket;
  if (!callerStays) keepPromise(services, promises);
  let turn = program.return(exitCode);
  while (!turn.done) turn = program.return(exitCode);
  if (isInterruption(reason) && reason.message !== null) await say(reason.message, services);
  return exitCode;
}

async function complain(error: unknown, services: ConductServices): Promise<number> {
  if (error instanceof RefusalError) {
    await say(sentenceOf(error.refusal), services);
    return EXIT_FAILURE;
  }
  if (error instanceof Fault) {
    await say(printable(error.message), services);
    return EXIT_FAILURE;
  }
  await say(reportDefect(error, services.log), services);
  return EXIT_DEFECT;
}

/** Writes the whole story to the log and gives the sentence that leads there. */
export function reportDefect(error: unknown, log: (line: string) => void): string {
  const reference = randomBytes(4).toString('hex');
  const [message, story] =
    error instanceof Error ? [error.message, error.stack ?? error.message] : [String(error), String(error)];
  log(`defect ${reference}: ${story}`);
  const firstLine = printable(message.split('\n')[0] ?? '');
  return `this is a defect in Trainyard: ${firstLine} (the yard's log has more under ${reference})`;
}

/** The sentence, and below it what helps. */
export function sentenceOf({ message, hint, choices }: Refusal): string {
  const lines = [printable(message)];
  if (hint !== null) lines.push(`  hint: ${printable(hint)}`);
  if (choices.length > 0) lines.push(`  choices: ${choices.map(printable).join(', ')}`);
  return lines.join('\n');
}

async function say(sentence: string, { name, write }: ConductServices): Promise<void> {
  await write('stderr', bytesFromText(`${name}: ${sentence}\n`));
}

function asBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? bytesFromText(data) : data;
}

function isInterruption(reason: unknown): reason is Interruption {
  return typeof reason === 'object' && reason !== null && 'exitCode' in reason && 'message' in reason;
}
