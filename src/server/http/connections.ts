/**
 * Bounds on the yard's connections: how many there are, and how long one may stay without sending a request. When there
 * are too many, those that have been idle longest are closed, and until there is room no more are taken. A connection
 * that is being served is left alone.
 *
 * Time is counted in ticks, each of them after a look at what has arrived, and not by the clock: after a time in which
 * the yard was too busy to read, nobody is said to have sent nothing.
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Door } from './door.ts';

export interface ConnectionBounds {
  readonly most: number;
  readonly tickMs: number;
  /** Without a request for so long; or only so long, where others need the place. */
  readonly idleTicks: number;
  readonly idleTicksWhenFull: number;
  /** From a request's head to the end of its body. */
  readonly bodyTicks: number;
}

export const USUAL_BOUNDS: ConnectionBounds = {
  most: 4096,
  tickMs: 250,
  idleTicks: 120,
  idleTicksWhenFull: 1,
  bodyTicks: 240,
};

/** What else needs file descriptors: the database, its own files, and jobs that are being started. */
const KEPT_FOR_OTHERS = 24;
const FEWEST = 8;

/** How many connections there may be where so many files may be open. */
export function mostConnections(openFiles: number): number {
  const some = Math.floor(openFiles * 0.75) - KEPT_FOR_OTHERS;
  return Math.min(USUAL_BOUNDS.most, Math.max(FEWEST, some));
}

interface Connection {
  readonly socket: Socket;
  /** The request whose answer is under way. */
  request: IncomingMessage | null;
  /** It has become the connection of a command, which looks after itself. */
  isCommand: boolean;
  /** For so long it has been waited for its next request, or for the rest of this one. */
  ticks: number;
}

/** `late` tells somebody that the rest of a request did not come in time, and closes the connection. */
export function boundConnections(
  server: Server,
  bounds: ConnectionBounds,
  door: Door | null,
  late: (socket: Socket) => void,
): void {
  /** In the order in which they became idle, where they are. */
  const connections = new Map<Socket, Connection>();
  let timer: NodeJS.Timeout | null = null;

  const isFull = () => connections.size >= bounds.most;
  const isWaitedFor = ({ isCommand, request }: Connection) =>
    !isCommand && (request === null || !request.complete);

  function tick(): void {
    let someoneIsWaitedFor = false;
    // Half of them at once, so that a crowd of idle ones is soon gone.
    let surplus = isFull() ? Math.ceil(bounds.most / 2) : 0;
    for (const connection of [...connections.values()]) {
      if (!isWaitedFor(connection)) continue;
      someoneIsWaitedFor = true;
      connection.ticks++;
      if (connection.request !== null) {
        if (connection.ticks > bounds.bodyTicks) late(connection.socket);
      } else if (connection.ticks > bounds.idleTicks) {
        connection.socket.destroy();
      } else if (surplus > 0 && connection.ticks > bounds.idleTicksWhenFull) {
        surplus--;
        connection.socket.destroy();
      }
    }
    if (someoneIsWaitedFor || isFull()) return;
    if (timer !== null) clearInterval(timer);
    timer = null;
  }

  function keepTicking(): void {
    if (timer !== null) return;
    // What arrived while the loop was busy is read before anybody is counted as silent.
    timer = setInterval(() => setImmediate(look), bounds.tickMs);
    timer.unref();
  }

  function look(): void {
    tick();
    admit();
  }

  function admit(): void {
    if (door === null) return;
    if (isFull()) return door.shut();
    try {
      door.open();
    } catch {
      // No file descriptor for it now: there will be one.
      keepTicking();
    }
  }

  function becomesIdle(connection: Connection): void {
    const { socket } = connection;
    connection.request = null;
    connection.ticks = 0;
    if (!connections.delete(socket)) return;
    connections.set(socket, connection);
    keepTicking();
  }

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { socket, request: null, isCommand: false, ticks: 0 });
    keepTicking();
    admit();
    socket.on('close', () => {
      connections.delete(socket);
      admit();
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (connection === undefined) return;
    connection.request = request;
    connection.ticks = 0;
    response.on('close', () => {
      if (connection.request === request) becomesIdle(connection);
    });
  });
  server.on('upgrade', (request: IncomingMessage) => {
    const connection = connections.get(request.socket);
    if (connection !== undefined) connection.isCommand = true;
  });
}
