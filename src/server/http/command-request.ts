/**
 * The first half of the thin protocol: frames up to `go`, made into an Invocation. It checks everything it
 * is sent, and throws a ProtocolError with one sentence about what is wrong.
 */

import type { Invocation } from '../../dialects/program.ts';
import { MOST_ARGUMENT_BYTES, MOST_CALL_BYTES } from '../../model/bounds.ts';
import { textFromBytes } from '../../model/bytes.ts';
import { type Frame, REQUEST } from '../../model/frames.ts';
import { identityOf } from '../../platform/processes.ts';
import type { Caller } from '../identity.ts';
import { wantsColour } from './colour.ts';
import { zoneOf } from './zone.ts';

export class ProtocolError extends Error {}

export interface CommandRequest {
  /** True once the request is whole. */
  add(frame: Frame): boolean;
  finish(caller: Caller): Received;
}

export interface Received {
  readonly invocation: Invocation;
  /** The caller's window changed: the invocation's terminal says so from then on. */
  readonly resize: (columns: number) => void;
}

const MAX_FRAMES = 100_000;
const DEFAULT_COLUMNS = 80;
const DEFAULT_UMASK = 0o022;

export function newCommandRequest(): CommandRequest {
  const argv: string[] = [];
  const facts = new Map<string, string>();
  let workDir: string | null = null;
  let environment: Uint8Array | null = null;
  let frames = 0;
  let bytes = 0;

  const add = ({ type, payload }: Frame): boolean => {
    frames += 1;
    bytes += payload.length;
    if (frames > MAX_FRAMES) throw new ProtocolError(`a command has ${MAX_FRAMES} arguments at most`);
    if (bytes > MOST_CALL_BYTES)
      throw new ProtocolError(`arguments and environment have more than ${MOST_CALL_BYTES} bytes together`);
    switch (type) {
      case REQUEST.argument:
        argv.push(plainText(payload, 'an argument'));
        return false;
      case REQUEST.directory:
        if (workDir !== null) throw new ProtocolError('there are two working directories');
        workDir = directoryOf(payload);
        return false;
      case REQUEST.environment:
        if (environment !== null) throw new ProtocolError('there are two environments');
        environment = endedByNul(payload);
        return false;
      case REQUEST.fact:
        addFact(facts, plainText(payload, 'a fact'));
        return false;
      case REQUEST.go:
        return true;
      default:
        throw new ProtocolError(`a frame ${JSON.stringify(type)} does not belong before go`);
    }
  };

  const finish = (caller: Caller): Received => {
    if (argv.length === 0) throw new ProtocolError('there is no command');
    if (workDir === null) throw new ProtocolError('there is no working directory');
    const variables = environment ?? new Uint8Array(0);
    const variable = lookup(variables);
    const isTerminal = (fd: string) => (facts.get('tty') ?? '').includes(fd);
    const terminal = {
      stdin: isTerminal('0'),
      stdout: isTerminal('1'),
      stderr: isTerminal('2'),
      columns: columnsOf(facts.get('columns') ?? `${DEFAULT_COLUMNS}`),
      colour: wantsColour(isTerminal('1'), variable),
    };
    const invocation: Invocation = {
      argv,
      workDir,
      environment: variables,
      umask: umaskOf(facts.get('umask')),
      ulimits: ulimitsOf(facts),
      user: caller.user,
      uid: caller.uid,
      process: caller.pid === null ? null : identityOf(caller.pid),
      ticket: facts.get('ticket') ?? null,
      terminal,
      timeZone: zoneOf([facts.get('zone'), variable('TZ')]),
    };
    return {
      invocation,
      resize: (columns) => {
        terminal.columns = columns;
      },
    };
  };
  return { add, finish };
}

/** `120`, or `120 40` with the number of lines after it. Zero is a terminal that does not know. */
export function columnsOf(text: string): number {
  const match = /^(\d{1,5})(?: \d{1,5})?$/.exec(text);
  if (match === null) throw new ProtocolError('columns is not a number');
  return Number(match[1]) || DEFAULT_COLUMNS;
}

function plainText(payload: Uint8Array, what: string): string {
  if (payload.length > MOST_ARGUMENT_BYTES)
    throw new ProtocolError(`${what} has more than ${MOST_ARGUMENT_BYTES} bytes`);
  if (payload.includes(0)) throw new ProtocolError(`${what} contains a NUL byte`);
  return textFromBytes(payload);
}

function directoryOf(payload: Uint8Array): string {
  const path = plainText(payload, 'the working directory');
  if (!path.startsWith('/')) throw new ProtocolError('the working directory is not an absolute path');
  return path;
}

function endedByNul(payload: Uint8Array): Uint8Array {
  if (payload.length === 0 || payload[payload.length - 1] === 0) return payload;
  const out = new Uint8Array(payload.length + 1);
  out.set(payload);
  return out;
}

function addFact(facts: Map<string, string>, text: string): void {
  const at = text.indexOf('=');
  const key = text.slice(0, Math.max(at, 0));
  if (!/^(umask|tty|columns|zone|ticket|ulimit-[A-Za-z])$/.test(key)) {
    throw new ProtocolError(`${JSON.stringify(text.slice(0, 40))} is not a fact that is known here`);
  }
  if (facts.has(key)) throw new ProtocolError(`${key} is said twice`);
  facts.set(key, text.slice(at + 1));
}

function umaskOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_UMASK;
  if (!/^[0-7]{1,4}$/.test(text) || Number.parseInt(text, 8) > 0o777) {
    throw new ProtocolError('umask is not an octal number up to 777');
  }
  return Number.parseInt(text, 8);
}

function ulimitsOf(facts: ReadonlyMap<string, string>): Record<string, string> {
  const limits: Record<string, string> = {};
  for (const [key, value] of facts) {
    if (!key.startsWith('ulimit-')) continue;
    if (!/^(\d{1,20}|unlimited)$/.test(value))
      throw new ProtocolError(`${key} is neither a number nor unlimited`);
    limits[key.slice('ulimit-'.length)] = value;
  }
  return limits;
}

/** The first of a name counts, as it does for getenv. */
function lookup(environment: Uint8Array): (name: string) => string | undefined {
  const pairs = textFromBytes(environment).split('\0');
  return (name) => pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
