import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { eventReader, yardApi } from './api.ts';

const directory = mkdtempSync(join(tmpdir(), 'trainyard-api-'));
const socketPath = join(directory, 'yard.sock');
let server: Server;
afterAll(() => rmSync(directory, { recursive: true, force: true }));

beforeEach(() => {
  server = createServer((request, response) => {
    const { method, url } = request;
    if (url === '/v1/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write(`: hello\n\nid: 8\ndata: {"seq":${Number(request.headers['last-event-id']) + 1}}\n\n`);
      if (request.headers['last-event-id'] === '7') response.end();
    } else if (url === '/v1/missing') {
      response.writeHead(404).end('{"error":{"message":"there is no job 9"}}');
    } else {
      request.resume().on('end', () => response.end(JSON.stringify({ method, url })));
    }
  });
  return new Promise<void>((resolve) => server.listen(socketPath, resolve));
});
afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

test('asks and answers in JSON', async () => {
  const api = yardApi(socketPath);
  expect(await api.get('/v1/yard')).toEqual({ method: 'GET', url: '/v1/yard' });
  expect(await api.post('/v1/jobs/1/hold', {})).toEqual({ method: 'POST', url: '/v1/jobs/1/hold' });
  await expect(api.get('/v1/missing')).rejects.toThrow('there is no job 9');
  await expect(yardApi(`${directory}/none`).get('/v1/yard')).rejects.toThrow();
});

test('follows events from a place in the log and says when the yard goes away', async () => {
  const seen: number[] = [];
  await new Promise<void>((resolve) => {
    yardApi(socketPath).follow(7, { onEvent: ({ seq }) => seen.push(seq), onGone: resolve });
  });
  expect(seen).toEqual([8]);
});

test('a stream that was stopped is not said to be gone', async () => {
  let gone = false;
  await new Promise<void>((resolve) => {
    const stop = yardApi(socketPath).follow(1, {
      onEvent: () => {
        stop();
        setImmediate(resolve);
      },
      onGone: () => {
        gone = true;
      },
    });
  });
  expect(gone).toBe(false);
});

test('events come in any pieces', () => {
  const seen: number[] = [];
  const take = eventReader(({ seq }) => seen.push(seq));
  for (const char of 'retry: 1000\n\nid: 1\nevent: jobHeld\ndata: {"seq":1}\n\n: beat\n\ndata: {"seq":2}\n\n')
    take(char);
  expect(seen).toEqual([1, 2]);
});
