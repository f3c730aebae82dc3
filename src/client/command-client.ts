/**
 * The full client: carries one command to the yard and brings its output and exit code back, the same way as
 * the quick one (libexec/command.pl). It knows the frames and nothing of what they mean to the yard.
 */

import type { Socket } from 'node:net';
import {
  encodeFrame,
  type Frame,
  frameReader,
  MAX_FRAME_BYTES,
  REQUEST,
  RESPONSE,
  RUN_HERE,
  UPGRADE,
} from '../model/frames.ts';
import { RefusalError } from '../model/refusal.ts';
import { type Caller, factsOf } from './caller.ts';
import { connectTo } from './connect.ts';
import { sentenceOfRefusal } from './refused.ts';
import type { YardAddress } from './yard-pointer.ts';

export type CommandEnd =
  | { readonly kind: 'exit'; readonly code: number }
  /** To be passed on to ourselves: the caller sees that a signal ended us. */
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'failed'; readonly sentence: string }
  /** The yard went away; the next one goes on with what it began, given this. */
  | { readonly kind: 'yardGone'; readonly ticket: string }
  /** It closed before it had read the command: nothing was done, and another yard may be asked. */
  | { readonly kind: 'notServed' };

export interface CommandStreams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

const SIGNALS = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGUSR1: 10,
  SIGUSR2: 12,
  SIGTERM: 15,
} as const;

type ForwardedSignal = keyof typeof SIGNALS;
const ENDING: readonly ForwardedSignal[] = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'];

/** Throws a RefusalError when somebody listens there whom the caller does not trust. */
export async function runCommand(
  address: YardAddress,
  caller: Caller,
  streams: CommandStreams,
  broughtTicket: string | null = null,
): Promise<CommandEnd> {
  let yard: Socket;
  try {
    yard = await connectTo(address);
  } catch (error) {
    if (error instanceof RefusalError) throw error;
    return endWithoutExit({ kind: 'nothingYet' }, null, broughtTicket);
  }
  return converse(yard, caller, streams, broughtTicket);
}

function converse(
  yard: Socket,
  caller: Caller,
  streams: CommandStreams,
  broughtTicket: string | null,
): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const signals = forwardSignals(yard, caller.ignoresHangup);
    const input = inputPump(yard, streams.stdin);
    let over = false;
    let ticket = broughtTicket;
    const end = (how: CommandEnd) => {
      if (over) return;
      over = true;
      signals.stop();
      input.stop();
      yard.destroy();
      resolve(how);
    };
    signals.onSecond = (signal) => end({ kind: 'signal', signal });

    const onFrame = ({ type, payload }: Frame) => {
      if (type === RESPONSE.stdout) writeOut(yard, streams.stdout, payload);
      else if (type === RESPONSE.stderr) writeOut(yard, streams.stderr, payload);
      else if (type === RESPONSE.needInput) input.start();
      else if (type === RESPONSE.ticket) ticket = Buffer.from(payload).toString();
      else if (type === RESPONSE.plan) end({ kind: 'failed', sentence: whyNoPlan(caller) });
      else if (type === RESPONSE.exit) {
        const code = Number(Buffer.from(payload).toString());
        whenWritten(streams, () => end(endWithExit(code, signals.first())));
      }
    };
    const answer = answerReader(onFrame);

    streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') end({ kind: 'exit', code: 141 });
      else end({ kind: 'failed', sentence: `cannot write: ${error.message}` });
    });
    streams.stderr.on('error', () => {});
    yard.on('data', (chunk) => {
      try {
        answer.take(chunk);
      } catch (error) {
        end({ kind: 'failed', sentence: (error as Error).message });
      }
    });
    // A yard that has gone also shows as the end of what it said, which may still be on its way.
    yard.on('error', () => {});
    yard.on('close', () => end(endWithoutExit(answer.state(), signals.first(), ticket)));
    yard.write(requestOf(caller, broughtTicket));
  });
}

/** No reply makes a command run something that it did not ask for; what did ask needs perl for it. */
function whyNoPlan({ argv }: Caller): string {
  const name = Buffer.from(argv[0] ?? []).toString();
  return RUN_HERE.includes(name)
    ? 'this runs its command itself, which needs perl, and there is no perl in PATH'
    : 'the yard answered with a program to run, which this command did not ask for: nothing was run';
}

function requestOf(caller: Caller, ticket: string | null): Uint8Array {
  const text = (payload: string) => Buffer.from(payload);
  const facts = [...factsOf(caller), ...(ticket === null ? [] : [`ticket=${ticket}`])];
  return Buffer.concat([
    text(`GET /v1/command HTTP/1.1\r\nHost: yard\r\nConnection: Upgrade\r\nUpgrade: ${UPGRADE}\r\n\r\n`),
    ...caller.argv.map((argument) => encodeFrame(REQUEST.argument, argument)),
    encodeFrame(REQUEST.directory, caller.workDir),
    encodeFrame(REQUEST.environment, caller.environment),
    ...facts.map((fact) => encodeFrame(REQUEST.fact, text(fact))),
    encodeFrame(REQUEST.go, new Uint8Array(0)),
  ]);
}

type AnswerState =
  | { readonly kind: 'nothingYet' }
  | { readonly kind: 'upgraded' }
  | { readonly kind: 'refused'; readonly text: string };

/** Skips the 101 header and gives the frames after it; keeps any other answer for the sentence in it. */
function answerReader(onFrame: (frame: Frame) => void): {
  take(chunk: Uint8Array): void;
  state(): AnswerState;
} {
  const takeFrames = frameReader(onFrame);
  let header: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  let upgraded = false;
  return {
    take(chunk) {
      if (upgraded) return takeFrames(chunk);
      header = Buffer.concat([header, chunk]);
      if (header.length > MAX_FRAME_BYTES) throw new RangeError('the answer of the yard is too long');
      const end = header.indexOf('\r\n\r\n');
      if (end === -1 || !header.toString('latin1').startsWith('HTTP/1.1 101 ')) return;
      upgraded = true;
      takeFrames(header.subarray(end + 4));
    },
    state() {
      if (upgraded) return { kind: 'upgraded' };
      return header.length === 0 ? { kind: 'nothingYet' } : { kind: 'refused', text: header.toString() };
    },
  };
}

/** A code that says "ended by that signal" is passed on as just that, so that a shell's loop ends as well. */
function endWithExit(code: number, signal: ForwardedSignal | null): CommandEnd {
  if (signal !== null && code === 128 + SIGNALS[signal]) return { kind: 'signal', signal };
  return { kind: 'exit', code };
}

function endWithoutExit(
  state: AnswerState,
  signal: ForwardedSignal | null,
  ticket: string | null,
): CommandEnd {
  if (state.kind === 'refused') return { kind: 'failed', sentence: sentenceOfRefusal(state.text) };
  if (signal !== null) return { kind: 'signal', signal };
  if (ticket !== null) return { kind: 'yardGone', ticket };
  if (state.kind === 'nothingYet') return { kind: 'notServed' };
  return {
    kind: 'failed',
    sentence: 'the yard went away before it answered; what was asked may or may not have been done',
  };
}

/** Reading from the yard stops while the reader of our output is slow. */
function writeOut(yard: Socket, stream: NodeJS.WritableStream, bytes: Uint8Array): void {
  if (stream.write(bytes) || yard.isPaused()) return;
  yard.pause();
  stream.once('drain', () => yard.resume());
}

function whenWritten(streams: CommandStreams, then: () => void): void {
  streams.stdout.write('', () => streams.stderr.write('', then));
}

interface InputPump {
  start(): void;
  stop(): void;
}

function inputPump(yard: Socket, stdin: NodeJS.ReadableStream): InputPump {
  const onData = (chunk: Buffer) => {
    if (yard.write(encodeFrame(REQUEST.input, chunk))) return;
    stdin.pause();
    yard.once('drain', () => stdin.resume());
  };
  const onEnd = () => yard.write(encodeFrame(REQUEST.inputEnd, new Uint8Array(0)));
  let started = false;
  return {
    start() {
      if (started) return;
      started = true;
      stdin.on('data', onData);
      stdin.once('end', onEnd);
      // A stdin that was closed or cannot be read has no input.
      stdin.once('error', onEnd);
    },
    stop() {
      if (!started) return;
      stdin.off('data', onData);
      stdin.off('end', onEnd);
      stdin.pause();
    },
  };
}

/** The end of a job may come to us in several ways at once. Who is still asked after this shall not wait longer. */
const PATIENCE_MS = 1000;

interface SignalForwarding {
  first(): ForwardedSignal | null;
  onSecond: (signal: ForwardedSignal) => void;
  stop(): void;
}

function forwardSignals(yard: Socket, ignoresHangup: boolean): SignalForwarding {
  let first: ForwardedSignal | null = null;
  let firstAt = 0;
  const forwarding: SignalForwarding = { first: () => first, onSecond: () => {}, stop };
  const onSignal = (signal: NodeJS.Signals) => {
    const known = signal as ForwardedSignal;
    if (known === 'SIGHUP' && ignoresHangup) return;
    if (ENDING.includes(known)) {
      if (first !== null)
        return performance.now() - firstAt > PATIENCE_MS ? forwarding.onSecond(known) : undefined;
      first = known;
      firstAt = performance.now();
    }
    yard.write(encodeFrame(REQUEST.signal, Buffer.from(`${SIGNALS[known]}`)));
  };
  const onResize = () => {
    const { columns, rows } = process.stdout;
    if (columns === undefined) return;
    yard.write(encodeFrame(REQUEST.windowSize, Buffer.from(`${columns} ${rows}`)));
  };
  const names = Object.keys(SIGNALS) as ForwardedSignal[];
  for (const name of names) process.on(name, onSignal);
  process.on('SIGWINCH', onResize);
  function stop(): void {
    for (const name of names) process.off(name, onSignal);
    process.off('SIGWINCH', onResize);
  }
  return forwarding;
}
