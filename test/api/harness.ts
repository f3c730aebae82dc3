/** A real server on a unix socket in a directory of its own, in front of a fake yard. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFrame, type Frame, frameReader, REQUEST, RESPONSE, UPGRADE } from '../../src/model/frames.ts';
import { createHttpServer, type HttpServerDeps } from '../../src/server/http/server.ts';
import { seededRandom } from '../../src/sim/random.ts';
import { type FakeYard, fakeYard } from './fake-yard.ts';

export interface Harness {
  readonly yard: FakeYard;
  readonly directory: string;
  readonly socketPath: string;
  readonly logged: string[];
  readonly stopped: () => number;
  close(): Promise<void>;
  call(method: string, path: string, options?: CallOptions): Promise<Answered>;
}

export interface CallOptions {
  readonly body?: unknown;
  /** Sent as it is instead of the body. */
  readonly raw?: string | Uint8Array;
  readonly headers?: OutgoingHttpHeaders;
}

/** JSON whose shape is what a test is about. */
export interface Loose {
  readonly [key: string]: Loose;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** Empty when the answer is no JSON. */
  readonly json: Loose;
}

export async function startServer(changes: Partial<HttpServerDeps> = {}): Promise<Harness> {
  const directory = mkdtempSync(join(tmpdir(), 'yard-api-'));
  const socketPath = join(directory, 'socket');
  const yard = fakeYard();
  const logged: string[] = [];
  const closing = new AbortController();
  let stops = 0;
  const server = createHttpServer({
    yard,
    dialects: () => null,
    identity: () => ({ ok: true, caller: { uid: 1000, user: 'alice', pid: null } }),
    takeSnapshot: async (root) => ({ ok: true, snapshot: { tree: 't', root, below: '' } }),
    stop: () => {
      stops += 1;
    },
    log: (line) => logged.push(line),
    version: '9.9.9',
    closing: closing.signal,
    jobEnvironment: { PATH: '/usr/bin:/bin' },
    ...changes,
  });
  server.listen({ path: socketPath, backlog: 4096 });
  await once(server, 'listening');
  return {
    yard,
    directory,
    socketPath,
    logged,
    stopped: () => stops,
    call: (method, path, options) => call(socketPath, method, path, options),
    close: async () => {
      const closed = once(server, 'close');
      closing.abort();
      await closed;
      rmSync(directory, { recursive: true });
    },
  };
}

export async function openRequest(
  socketPath: string,
  method: string,
  path: string,
  { body, raw, headers = {} }: CallOptions = {},
): Promise<IncomingMessage> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const request = httpRequest({ socketPath, method, path, headers, agent: false });
  request.end(payload);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // What is still being written when the answer is there may find the other side closed.
  request.on('error', () => {});
  return response;
}

async function call(
  socketPath: string,
  method: string,
  path: string,
  options?: CallOptions,
): Promise<Answered> {
  const response = await openRequest(socketPath, method, path, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const isJson = (response.headers['content-type'] ?? '').startsWith('application/json');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : {},
  };
}

export const UPGRADE_HEAD = `GET /v1/command HTTP/1.1\r\nHost: yard\r\nConnection: Upgrade\r\nUpgrade: ${UPGRADE}\r\n\r\n`;

/** The frames of a whole request, `go` included. */
export function requestFrames(
  argv: readonly string[],
  facts: readonly string[] = [],
  environment = '',
): Buffer {
  return Buffer.concat([
    ...argv.map((argument) => encodeFrame(REQUEST.argument, Buffer.from(argument))),
    encodeFrame(REQUEST.directory, Buffer.from('/tmp')),
    encodeFrame(REQUEST.environment, Buffer.from(environment)),
    ...facts.map((fact) => encodeFrame(REQUEST.fact, Buffer.from(fact))),
    encodeFrame(REQUEST.go, new Uint8Array(0)),
  ]);
}

export interface CommandClient {
  readonly socket: Socket;
  readonly send: (type: string, payload?: string | Uint8Array) => void;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when the yard has closed the connection. */
  readonly over: Promise<void>;
  readonly exitCode: () => number | null;
  readonly tickets: readonly string[];
  /** What the client is to run itself. */
  readonly plan: () => string | null;
  readonly inputWanted: Promise<void>;
  readonly header: () => string;
  /** Resolves when stdout contains the text. */
  readonly saw: (text: string) => Promise<void>;
}

export function openCommand(socketPath: string, bytes: Uint8Array): CommandClient {
  const socket = connect(socketPath);
  const output: Record<string, string> = { o: '', e: '' };
  const tickets: string[] = [];
  let exitCode: number | null = null;
  let plan: string | null = null;
  let header = '';
  let giveInput: () => void = () => {};
  const inputWanted = new Promise<void>((resolve) => {
    giveInput = resolve;
  });
  const read = frameReader(({ type, payload }: Frame) => {
    if (type === RESPONSE.needInput) giveInput();
    else if (type === RESPONSE.ticket) tickets.push(Buffer.from(payload).toString());
    else if (type === RESPONSE.plan) plan = Buffer.from(payload).toString();
    else if (type === RESPONSE.exit) exitCode = Number(Buffer.from(payload).toString());
    else output[type] += Buffer.from(payload).toString();
  });
  let upgraded = false;
  socket.on('data', (chunk) => {
    if (upgraded) return read(chunk);
    header += chunk.toString('latin1');
    const end = header.indexOf('\r\n\r\n');
    if (end === -1) return;
    const rest = Buffer.from(header.slice(end + 4), 'latin1');
    header = header.slice(0, end + 4);
    upgraded = true;
    if (header.startsWith('HTTP/1.1 101')) read(rest);
  });
  socket.on('error', () => {});
  socket.write(UPGRADE_HEAD);
  socket.write(bytes);
  const saw = async (text: string) => {
    while (!(output.o as string).includes(text)) await once(socket, 'data');
  };
  return {
    socket,
    send: (type, payload = '') => socket.write(encodeFrame(type, Buffer.from(payload))),
    stdout: () => output.o as string,
    stderr: () => output.e as string,
    over: new Promise((resolve) => socket.on('close', () => resolve())),
    exitCode: () => exitCode,
    tickets,
    plan: () => plan,
    inputWanted,
    header: () => header,
    saw,
  };
}

/** The same numbers for the same seed. */
export function randomFrom(seed: number): () => number {
  return seededRandom(seed).next;
}
