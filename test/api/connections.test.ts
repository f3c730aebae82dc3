/** How many connections a yard has open, and for how long: those without a request are closed, and only those. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { mostConnections } from '../../src/server/http/connections.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness | null = null;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
  server = null;
});

async function connected(): Promise<Socket> {
  const socket = connect(server?.socketPath as string);
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** All that came until the connection was closed. */
async function untilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

const STATUS = 'GET /v1/yard HTTP/1.1\r\n\r\n';
const QUICK = { tickMs: 20, idleTicks: 4, idleTicksWhenFull: 1, bodyTicks: 8 };

describe('a connection without a request', () => {
  test('is closed after a while, whether it never had one, had one, or began one', async () => {
    server = await startServer({ connections: QUICK });
    const [silent, past, slow] = [await connected(), await connected(), await connected()];
    past.write(STATUS);
    slow.write('GET /v1/ya');
    const [nothing, answer] = await Promise.all([silent, past, slow].map(untilClosed));
    expect(nothing).toBe('');
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  test('one whose body does not come is told so', async () => {
    server = await startServer({ connections: QUICK });
    const slow = await connected();
    slow.write('POST /v1/jobs HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
    expect(await untilClosed(slow)).toMatch(/^HTTP\/1.1 408 [\s\S]*did not come in time/);
  });

  test('gives way when there are too many; one that is being served does not', async () => {
    server = await startServer({ connections: { ...QUICK, most: 6, idleTicks: 1_000_000 } });
    const live = await connected();
    live.write('GET /v1/events HTTP/1.1\r\nAccept: text/event-stream\r\n\r\n');
    await once(live, 'data');
    const idle = [];
    for (let i = 0; i < 5; i++) idle.push(await connected());
    const oldest = idle[0] as Socket;
    await untilClosed(oldest);
    expect((await server.call('GET', '/v1/yard')).status).toBe(200);
    expect(live.destroyed).toBe(false);
    // The youngest have their time, now that there is room.
    expect(idle.at(-1)?.destroyed).toBe(false);
  });
});

test('a request that came while the yard was busy is served late, and not taken for silence', async () => {
  server = await startServer({ connections: QUICK });
  const early = await connected();
  await sleep(QUICK.tickMs);
  early.write(STATUS.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  const late = await connected();
  late.write(STATUS.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
  const busyUntil = performance.now() + 10 * QUICK.tickMs * QUICK.bodyTicks;
  while (performance.now() < busyUntil);
  for (const answer of await Promise.all([untilClosed(early), untilClosed(late)]))
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
});

test('what is no HTTP is still told so', async () => {
  server = await startServer({ connections: QUICK });
  const stranger = await connected();
  stranger.write('hello yard\r\n\r\n');
  expect(await untilClosed(stranger)).toMatch(/^HTTP\/1.1 400 [\s\S]*not an HTTP request/);
});

test('there are fewer where fewer files may be open', () => {
  expect([64, 256, 1024, 1_000_000, Number.POSITIVE_INFINITY].map(mostConnections)).toEqual([
    24, 168, 744, 4096, 4096,
  ]);
  expect(mostConnections(20)).toBe(8);
});
