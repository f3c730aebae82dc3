/** The live stream: no gap, no repeat, no listener left behind, and no memory for those who do not read. */

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HttpServerDeps } from '../../src/server/http/server.ts';
import { type Harness, type Loose, openRequest, startServer } from './harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await startServer();
});
afterEach(() => harness.close());

async function restartWith(changes: Partial<HttpServerDeps>): Promise<void> {
  await harness.close();
  harness = await startServer(changes);
}

interface Stream {
  readonly response: IncomingMessage;
  readonly ids: number[];
  readonly types: string[];
  text: string;
  /** Resolves when so many events have come. */
  readonly until: (count: number) => Promise<void>;
}

async function openStream(path: string, headers: Record<string, string> = {}): Promise<Stream> {
  const response = await openRequest(harness.socketPath, 'GET', path, {
    headers: { Accept: 'text/event-stream', ...headers },
  });
  const stream: Stream = {
    response,
    ids: [],
    types: [],
    text: '',
    until: async (count) => {
      while (stream.ids.length < count) await once(response, 'data');
    },
  };
  let rest = '';
  response.setEncoding('utf8');
  response.on('error', () => {});
  response.on('data', (chunk: string) => {
    stream.text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) {
      const id = /^id: (\d+)$/m.exec(block)?.[1];
      if (id === undefined) continue;
      const data = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] as string);
      expect(data.seq).toBe(Number(id));
      stream.ids.push(Number(id));
      stream.types.push(/^event: (\w+)$/m.exec(block)?.[1] as string);
    }
  });
  return stream;
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function seqsOf(json: Loose): number[] {
  return (json.events as unknown as { seq: number }[]).map(({ seq }) => seq);
}

function happen(times: number, job = 1): void {
  for (let i = 0; i < times; i++) harness.yard.record({ type: 'jobPending', job });
}

test('begins now, unless told where', async () => {
  happen(5);
  const stream = await openStream('/v1/events');
  expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  harness.yard.record({ type: 'jobWaiting', job: 1 });
  await stream.until(1);
  expect(stream.ids).toEqual([6]);
  expect(stream.types).toEqual(['jobWaiting']);
  stream.response.destroy();
});

test('goes on from Last-Event-ID through old pages into live events', async () => {
  happen(1234);
  const stream = await openStream('/v1/events', { 'Last-Event-ID': '17' });
  happen(10);
  await stream.until(1234 - 17 + 10);
  happen(3);
  await stream.until(1234 - 17 + 13);
  expect(stream.ids).toEqual(numbers(18, 1247));
  stream.response.destroy();
});

test('a reader that stops for a while gets everything all the same, in order and once', async () => {
  const stream = await openStream('/v1/events?after=0');
  stream.response.pause();
  // Far more than the kernel and the server's buffer hold.
  for (let i = 0; i < 40; i++) {
    happen(500);
    await new Promise(setImmediate);
  }
  stream.response.resume();
  await stream.until(20_000);
  expect(stream.ids).toEqual(numbers(1, 20_000));
  happen(1);
  await stream.until(20_001);
  stream.response.destroy();
});

test('a reader that never reads is cut off', async () => {
  await restartWith({ heartbeatMs: 20 });
  const stream = await openStream('/v1/events?after=0');
  stream.response.pause();
  happen(20_000);
  expect(harness.yard.listenerCount()).toBe(1);
  while (harness.yard.listenerCount() > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  stream.response.destroy();
});

test('one job only', async () => {
  harness.yard.record({ type: 'jobPending', job: 1 }, { type: 'jobPending', job: 2 });
  const stream = await openStream('/v1/events?after=0&job=2');
  harness.yard.record({ type: 'jobWaiting', job: 1 }, { type: 'jobWaiting', job: 2 });
  await stream.until(2);
  expect(stream.ids).toEqual([2, 4]);
  stream.response.destroy();
});

test('a heartbeat shows that the yard is there', async () => {
  await restartWith({ heartbeatMs: 20 });
  const stream = await openStream('/v1/events');
  while (!stream.text.endsWith('here\n\n')) await once(stream.response, 'data');
  expect(stream.text).toMatch(/^retry: 1000\n\n(: the yard is still here\n\n)+$/);
  stream.response.destroy();
});

test('nothing stays behind when readers go, and none hinders the server from closing', async () => {
  const streams = await Promise.all([1, 2, 3].map(() => openStream('/v1/events')));
  expect(harness.yard.listenerCount()).toBe(3);
  streams[0]?.response.destroy();
  while (harness.yard.listenerCount() !== 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const ended = once(streams[1]?.response as IncomingMessage, 'end');
  await harness.close();
  await ended;
  expect(harness.yard.listenerCount()).toBe(0);
  harness = await startServer();
});

test('the list takes a place, a job and a limit', async () => {
  happen(5);
  const after = await harness.call('GET', '/v1/events?after=1&limit=2');
  expect(seqsOf(after.json)).toEqual([2, 3]);
  const newest = await harness.call('GET', '/v1/events?limit=2');
  expect(seqsOf(newest.json)).toEqual([4, 5]);
  const bad = await harness.call('GET', '/v1/events', {
    headers: { Accept: 'text/event-stream', 'Last-Event-ID': 'x' },
  });
  expect(bad.status).toBe(400);
});
