/**
 * The yard's HTTP server: takes requests to their routes and upgraded connections to their command, and sees
 * to bounds, time-outs and the end. It knows the yard only through its interface.
 */

import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { UPGRADE } from '../../model/frames.ts';
import type { ConductServices } from '../conduct.ts';
import type { Identity } from '../identity.ts';
import { createLeaseDesk } from '../leases/desk.ts';
import type { Yard } from '../yard.ts';
import { type Dialects, serveCommand } from './command-connection.ts';
import { boundConnections, type ConnectionBounds, USUAL_BOUNDS } from './connections.ts';
import type { Door } from './door.ts';
import { createIdempotency } from './idempotency.ts';
import { readBody } from './read-body.ts';
import { failed, type Reply, refused, replyOf, send } from './reply.ts';
import { type Context, matchRoute, type Route } from './route.ts';
import { routes } from './routes.ts';
import { validate } from './validate.ts';

export interface HttpServerDeps {
  readonly yard: Yard;
  /** A command by the name it is called by. */
  readonly dialects: Dialects;
  readonly identity: Identity;
  /** The code around a directory, for a job about to be submitted. */
  readonly takeSnapshot: ConductServices['takeSnapshot'];
  /** Somebody asked the yard to stop. */
  readonly stop: () => void;
  readonly log: (line: string) => void;
  readonly version: string;
  /** When it fires, the server takes no more, ends what is open, and closes within a grace. */
  readonly closing?: AbortSignal;
  /** The basis of the environment of jobs submitted through the API. */
  readonly jobEnvironment?: Readonly<Record<string, string>>;
  readonly heartbeatMs?: number;
  readonly connections?: Partial<ConnectionBounds>;
  /** Shut while there are too many connections. */
  readonly door?: Door;
}

const COMMAND_PATH = '/v1/command';

const HEARTBEAT_MS = 15_000;
const CLOSING_GRACE_MS = 3_000;
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG'];
const BOUNDS = {
  maxHeaderSize: 32 * 1024,
  // Node's own go by the clock: after a busy time they close connections whose requests wait to be read.
  headersTimeout: 0,
  requestTimeout: 0,
  keepAliveTimeout: 0,
  // A thin client has nothing to say there.
  requireHostHeader: false,
};

export function createHttpServer(deps: HttpServerDeps): Server {
  const open = new Set<() => void>();
  const whileOpen = (hangUp: () => void) => {
    open.add(hangUp);
    return () => open.delete(hangUp);
  };
  const leases = createLeaseDesk({ yard: deps.yard, log: deps.log });
  const shared = {
    yard: deps.yard,
    idempotency: createIdempotency(),
    leases,
    jobEnvironment: deps.jobEnvironment ?? inherited(),
    heartbeatMs: deps.heartbeatMs ?? HEARTBEAT_MS,
    whileOpen,
  };
  const sockets = new Set<Socket>();

  const server = createServer(BOUNDS, (request, response) => {
    void respond(request, response, deps, shared);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === UPGRADE && pathOf(request) === COMMAND_PATH) {
      serveCommand(socket, head, { ...deps, whileOpen });
    } else {
      closeWith(socket, 400, `only ${UPGRADE} at ${COMMAND_PATH} can be upgraded to`, deps.version);
    }
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
    closeWith(socket, status, 'this is not an HTTP request that the yard understands', deps.version);
  });
  boundConnections(server, { ...USUAL_BOUNDS, ...deps.connections }, deps.door ?? null, (socket) => {
    closeWith(socket, 408, 'the rest of the request did not come in time', deps.version);
  });
  // A connection that cannot be taken is no reason to end.
  server.on('error', (error) => deps.log(`connections: ${error.message}`));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  deps.closing?.addEventListener('abort', () => {
    server.close();
    leases.close();
    for (const hangUp of open) hangUp();
    const grace = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, CLOSING_GRACE_MS);
    server.on('close', () => clearTimeout(grace));
  });
  return server;
}

/** Never throws: whatever goes wrong is an answer, or at worst the end of this connection. */
async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  deps: HttpServerDeps,
  shared: Shared,
): Promise<void> {
  response.setHeader('Trainyard-Version', deps.version);
  try {
    const reply = await serve(request, response, deps, shared);
    if (reply !== null) send(response, reply);
  } catch (error) {
    send(response, replyOf(error, deps.log));
  }
}

type Shared = Omit<Context, 'caller' | 'request' | 'response'>;

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { identity }: HttpServerDeps,
  shared: Shared,
): Promise<Reply | null> {
  const identified = identity(request.socket);
  if (!identified.ok) return refused(identified.refusal);
  const found = matchRoute(routes, request.method ?? '', pathOf(request));
  if (found.kind === 'notFound') return unknownPath(request);
  if (found.kind === 'wrongMethod') return wrongMethod(request, found.allowed);
  const { route } = found;
  const input = {
    params: validate(route.params, found.params, 400, 'path'),
    query: validate(route.query, queryOf(request), 400, 'query'),
    body: await bodyOf(route, request),
  };
  return route.handle(input, { ...shared, caller: identified.caller, request, response });
}

async function bodyOf(route: Route, request: IncomingMessage): Promise<unknown> {
  if (route.body === null) return null;
  const body = await readBody(request);
  return validate(route.body, body === undefined ? {} : body, 422, 'body');
}

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** A parameter that is said twice becomes a list, which no schema takes. */
function queryOf({ url = '' }: IncomingMessage): Record<string, string | string[]> {
  const at = url.indexOf('?');
  const parameters = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

function unknownPath(request: IncomingMessage): Reply {
  const known = routes.map(({ method, path }) => `${method} ${path}`);
  const message = `there is nothing at ${pathOf(request).slice(0, 200)}`;
  return failed(404, 'notFound', message, 'GET /v1/openapi.json describes what there is', known);
}

function wrongMethod(request: IncomingMessage, allowed: readonly string[]): Reply {
  const message = `${request.method} is not possible at ${pathOf(request).slice(0, 200)}`;
  return failed(405, 'wrongMethod', message, null, allowed, { Allow: allowed.join(', ') });
}

/** For connections that have left the HTTP machinery: one answer by hand, then the end. */
function closeWith(socket: Socket, status: number, message: string, version: string): void {
  if (!socket.writable) return void socket.destroy();
  const { body } = failed(status, 'badRequest', message);
  const text = `${JSON.stringify(body)}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `Trainyard-Version: ${version}`,
    'Connection: close',
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroy());
}

function inherited(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) found[name] = value;
  }
  return found;
}
