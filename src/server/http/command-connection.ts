/**
 * The second half of the thin protocol: one upgraded connection, from the request to the exit frame. It moves
 * bytes and conducts the program; what the command means is the dialect's.
 */

import type { Socket } from 'node:net';
import { basename } from 'node:path';
import type { Invocation, Program } from '../../dialects/program.ts';
import { bytesFromText, printable, textFromBytes } from '../../model/bytes.ts';
import { type Frame, frameReader, REQUEST, RESPONSE } from '../../model/frames.ts';
import { encodePlan } from '../../model/run-plan.ts';
import { type ConductServices, conduct, EXIT_FAILURE, type Interruption, sentenceOf } from '../conduct.ts';
import type { Caller, Identity } from '../identity.ts';
import type { Yard } from '../yard.ts';
import { callerSignals } from './caller-signals.ts';
import { callerStdin } from './caller-stdin.ts';
import { columnsOf, newCommandRequest, ProtocolError } from './command-request.ts';
import { newWire } from './command-wire.ts';

export type Dialects = (name: string) => ((invocation: Invocation) => Program) | null;

export interface CommandDeps {
  readonly yard: Yard;
  readonly dialects: Dialects;
  readonly identity: Identity;
  readonly takeSnapshot: ConductServices['takeSnapshot'];
  readonly stop: () => void;
  readonly log: (line: string) => void;
  readonly version: string;
  readonly whileOpen: (hangUp: () => void) => () => void;
}

const EXIT_PROTOCOL = 2;
const EXIT_NO_COMMAND = 127;
/** A request must come within so many looks at it, and something of it between two. */
const LOOK_EVERY_MS = 15_000;
const MOST_LOOKS = 20;
/** A client has this long to take its last frames. */
const FAREWELL_MS = 5_000;
/** HUP, INT, QUIT, TERM. */
const ENDING_SIGNALS: readonly number[] = [1, 2, 3, 15];

export function serveCommand(socket: Socket, head: Uint8Array, deps: CommandDeps): void {
  const { yard, identity, version } = deps;
  const request = newCommandRequest();
  const identified = identity(socket);
  const interrupted = new AbortController();
  const stdin = callerStdin(() => wire.frame(RESPONSE.needInput, new Uint8Array(0)));
  const signals = callerSignals();
  const wire = newWire(socket, version);
  let stage: 'request' | 'running' | 'over' = 'request';
  let stopWanted = false;
  let hasTicket = false;
  let resize: (columns: number) => void = () => {};

  const interrupt = (reason: Interruption) => interrupted.abort(reason);

  /** Called at the end, so that the one who stops the yard still hears of it. */
  const stopIfWanted = () => {
    if (!stopWanted) return;
    stopWanted = false;
    deps.stop();
  };

  const finish = (exitCode: number) => finishWith(RESPONSE.exit, bytesFromText(`${exitCode}`));

  const finishWith = (lastFrame: string, payload: Uint8Array) => {
    if (stage === 'over') return;
    stage = 'over';
    clearInterval(patience);
    wire.frame(lastFrame, payload);
    socket.end(stopIfWanted);
    setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
  };

  const refuse = (sentence: string, exitCode: number) => {
    if (stage === 'over') return;
    wire.frame(RESPONSE.stderr, bytesFromText(`trainyard: ${sentence}\n`));
    finish(exitCode);
    interrupt({ exitCode, message: null });
  };

  const run = async (caller: Caller) => {
    stage = 'running';
    clearInterval(patience);
    wire.open();
    const received = request.finish(caller);
    resize = received.resize;
    const { invocation } = received;
    const name = basename(invocation.argv[0] as string);
    const dialect = deps.dialects(name);
    if (dialect === null) return refuse(`${printable(name)} is not a command of Trainyard`, EXIT_NO_COMMAND);
    const ended = await conduct(begin(dialect, invocation), {
      yard,
      name: printable(name),
      user: invocation.user,
      workDir: invocation.workDir,
      umask: invocation.umask,
      signal: interrupted.signal,
      write: (stream, bytes) => wire.output(RESPONSE[stream], bytes),
      readStdin: stdin.read,
      readLine: stdin.readLine,
      nextSignal: signals.next,
      giveTicket: (ticket) => {
        hasTicket = true;
        wire.frame(RESPONSE.ticket, bytesFromText(ticket));
      },
      takeSnapshot: deps.takeSnapshot,
      handOver: (plan) => finishWith(RESPONSE.plan, encodePlan(plan)),
      stop: () => {
        stopWanted = true;
      },
      log: deps.log,
    });
    if (ended !== 'handedOver') finish(ended);
  };

  const onFrame = (frame: Frame) => {
    if (stage === 'over') return;
    if (stage === 'running') return onLaterFrame(frame);
    if (identified.ok && request.add(frame)) run(identified.caller).catch(fail);
  };

  const onLaterFrame = ({ type, payload }: Frame) => {
    switch (type) {
      case REQUEST.input:
      case REQUEST.inputEnd:
        if (!stdin.wasAsked()) throw new ProtocolError('input came before it was asked for');
        return type === REQUEST.input ? stdin.add(payload) : stdin.end();
      case REQUEST.signal:
        return onSignal(signalOf(payload));
      case REQUEST.windowSize:
        return resize(columnsOf(textFromBytes(payload)));
      default:
        throw new ProtocolError(`a frame ${JSON.stringify(type)} does not belong after go`);
    }
  };

  const onSignal = (signal: number) => {
    if (signals.add(signal)) return;
    if (ENDING_SIGNALS.includes(signal)) interrupt({ exitCode: 128 + signal, message: null, bySignal: true });
  };

  /** Bytes that are not the protocol end this connection and nothing else. */
  const fail = (error: unknown) => {
    if (error instanceof ProtocolError || error instanceof RangeError) {
      refuse(`the command spoke nonsense to the yard: ${printable(error.message)}`, EXIT_PROTOCOL);
    } else {
      deps.log(`a command connection failed: ${error instanceof Error ? error.stack : String(error)}`);
      socket.destroy();
    }
  };

  const readFrames = frameReader(onFrame);
  const onData = (bytes: Uint8Array) => {
    if (stage === 'over') return;
    try {
      readFrames(bytes);
    } catch (error) {
      fail(error);
    }
  };

  /** The yard stops. A caller with a ticket is not told how its command ended, for it goes on elsewhere. */
  const leave = () => {
    const message = hasTicket ? null : 'the yard is stopping';
    if (hasTicket) stage = 'over';
    interrupt({ exitCode: EXIT_FAILURE, message, callerStays: true });
    if (hasTicket) socket.end();
  };

  const hangUp = () => {
    interrupt({ exitCode: EXIT_FAILURE, message: null });
    if (stage !== 'over') socket.destroy();
    stage = 'over';
  };

  const forget = deps.whileOpen(() => {
    if (stage === 'running') leave();
    // Without an answer the client knows that nothing was done, and may ask the next yard.
    else if (stage === 'request') socket.destroy();
  });
  const patience = untilLate(
    () => socket.bytesRead,
    () => refuse('the request did not come', EXIT_PROTOCOL),
  );
  socket.on('error', () => socket.destroy());
  // A client that closes its side has gone: nobody would read what comes after.
  socket.on('end', hangUp);
  socket.on('close', () => {
    clearInterval(patience);
    forget();
    hangUp();
    stopIfWanted();
  });
  if (!identified.ok) refuse(sentenceOf(identified.refusal), EXIT_FAILURE);
  socket.on('data', onData);
  onData(head);
}

/** Not by the clock alone: what came while the yard was busy has yet to be read when the timer fires. */
function untilLate(received: () => number, late: () => void): NodeJS.Timeout {
  let before = -1;
  let looks = 0;
  return setInterval(() => {
    const now = received();
    looks++;
    if (now === before || looks >= MOST_LOOKS) late();
    before = now;
  }, LOOK_EVERY_MS);
}

/** Inside a generator, so that a dialect which throws at once is told like one that throws later. */
function* begin(dialect: (invocation: Invocation) => Program, invocation: Invocation): Program {
  return yield* dialect(invocation);
}

function signalOf(payload: Uint8Array): number {
  const text = textFromBytes(payload);
  if (!/^\d{1,2}$/.test(text) || Number(text) < 1 || Number(text) > 64) {
    throw new ProtocolError('a signal is not a number from 1 to 64');
  }
  return Number(text);
}
