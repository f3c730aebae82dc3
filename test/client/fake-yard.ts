/** A yard that speaks the thin protocol and does what a test says, on a real unix socket. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFrame, type Frame, frameReader, REQUEST } from '../../src/model/frames.ts';

export interface FakeCall {
  readonly header: string;
  readonly argv: readonly Buffer[];
  readonly workDir: Buffer;
  readonly environment: Buffer;
  readonly facts: ReadonlyMap<string, string>;
  readonly socket: Socket;
  send(type: string, payload?: string | Uint8Array): boolean;
  /** The next frame after the request; null when the client has gone. */
  next(): Promise<Frame | null>;
}

export interface FakeYard {
  readonly directory: string;
  readonly socketPath: string;
  close(): Promise<void>;
}

export type Serve = (call: FakeCall) => void | Promise<void>;

export const UPGRADED = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\r\n';

const temporary: string[] = [];

/** Gone after `removeTemporaryDirectories`. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-test-'));
  temporary.push(directory);
  return directory;
}

export function removeTemporaryDirectories(): void {
  for (const directory of temporary.splice(0)) rmSync(directory, { recursive: true, force: true });
}

export async function fakeYard(serve: Serve, greeting: string | null = UPGRADED): Promise<FakeYard> {
  const directory = temporaryDirectory();
  return fakeYardIn(directory, join(directory, 'yard.sock'), serve, greeting);
}

export async function fakeYardIn(
  directory: string,
  socketPath: string,
  serve: Serve,
  greeting: string | null = UPGRADED,
): Promise<FakeYard> {
  mkdirSync(directory, { recursive: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    serveConnection(socket, serve, greeting);
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  chmodSync(socketPath, 0o600);
  writeFileSync(join(directory, 'socket'), `${socketPath}\n`);
  return {
    directory,
    socketPath,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          rmSync(directory, { recursive: true, force: true });
          resolve();
        });
      }),
  };
}

function serveConnection(socket: Socket, serve: Serve, greeting: string | null): void {
  let header: Buffer | null = Buffer.alloc(0);
  let headerText = '';
  const request: Frame[] = [];
  const later: Frame[] = [];
  const waiting: ((frame: Frame | null) => void)[] = [];
  let went = false;
  let closed = false;

  const readFrames = frameReader((frame) => {
    if (went) {
      const wanting = waiting.shift();
      if (wanting === undefined) later.push(frame);
      else wanting(frame);
      return;
    }
    request.push(frame);
    if (frame.type !== REQUEST.go) return;
    went = true;
    const of = (type: string) => request.filter((f) => f.type === type).map((f) => Buffer.from(f.payload));
    const facts = of(REQUEST.fact).map((fact) => fact.toString().split(/=(.*)/s).slice(0, 2));
    void serve({
      header: headerText,
      argv: of(REQUEST.argument),
      workDir: of(REQUEST.directory)[0] as Buffer,
      environment: of(REQUEST.environment)[0] as Buffer,
      facts: new Map(facts as [string, string][]),
      socket,
      send: (type, payload = '') => socket.write(encodeFrame(type, Buffer.from(payload))),
      next: () => {
        const ready = later.shift();
        if (ready !== undefined) return Promise.resolve(ready);
        if (closed) return Promise.resolve(null);
        return new Promise((resolve) => waiting.push(resolve));
      },
    });
  });

  socket.on('close', () => {
    closed = true;
    for (const wanting of waiting) wanting(null);
  });
  socket.on('data', (chunk) => {
    if (header === null) return readFrames(chunk);
    header = Buffer.concat([header, chunk]);
    const end = header.indexOf('\r\n\r\n');
    if (end === -1) return;
    headerText = header.subarray(0, end).toString();
    const rest = header.subarray(end + 4);
    header = null;
    if (greeting === null) return void socket.end();
    socket.write(greeting);
    if (greeting !== UPGRADED) return void socket.end();
    readFrames(rest);
  });
}
