/** A job's output over HTTP, now and as it grows. */

import { once } from 'node:events';
import { appendFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Harness, openRequest, startServer } from './harness.ts';

let harness: Harness;
let path: string;
beforeEach(async () => {
  harness = await startServer();
  path = join(harness.directory, 'trainyard-1.out');
  const body = { command: ['/bin/true'], workDir: harness.directory };
  await harness.call('POST', '/v1/jobs', { body });
});
afterEach(() => harness.close());

interface Followed {
  readonly response: IncomingMessage;
  readonly text: () => string;
  /** Resolves when so much has come. */
  readonly until: (length: number) => Promise<void>;
}

async function follow(query: string): Promise<Followed> {
  const response = await openRequest(harness.socketPath, 'GET', `/v1/jobs/1/log?follow=true${query}`);
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    response,
    text: () => text,
    until: async (length) => {
      while (text.length < length) await once(response, 'data');
    },
  };
}

test('from an offset, and from the end', async () => {
  writeFileSync(path, 'epoch 1\nepoch 2\n');
  expect((await harness.call('GET', '/v1/jobs/1/log')).text).toBe('epoch 1\nepoch 2\n');
  expect((await harness.call('GET', '/v1/jobs/1/log?offset=8')).text).toBe('epoch 2\n');
  const tail = await harness.call('GET', '/v1/jobs/1/log?offset=-2');
  expect(tail.text).toBe('2\n');
  expect(tail.headers['trainyard-log-offset']).toBe('14');
  expect((await harness.call('GET', '/v1/jobs/1/log?offset=99')).text).toBe('');
  expect((await harness.call('GET', '/v1/jobs/1/log?stream=stderr')).text).toBe('epoch 1\nepoch 2\n');
});

test('a file larger than one piece arrives whole', async () => {
  const text = 'x'.repeat(1_000_003);
  writeFileSync(path, text);
  expect((await harness.call('GET', '/v1/jobs/1/log')).text === text).toBe(true);
});

test('a file that is not there yet is an error, or is waited for', async () => {
  const missing = await harness.call('GET', '/v1/jobs/1/log');
  expect(missing.status).toBe(404);
  expect(missing.json.error?.code).toBe('noSuchFile');
  const { response, text, until } = await follow('');
  writeFileSync(path, 'hello\n');
  await until(6);
  expect(text()).toBe('hello\n');
  response.destroy();
});

test('follows to the end of the job and not beyond', async () => {
  writeFileSync(path, 'one\n');
  const { response, text, until } = await follow('&offset=0');
  await until(4);
  appendFileSync(path, 'two\n');
  await until(8);
  appendFileSync(path, 'three\n');
  harness.yard.end(1);
  await once(response, 'end');
  expect(text()).toBe('one\ntwo\nthree\n');
});

test('an attempt that begins the file anew is followed from its beginning', async () => {
  writeFileSync(path, 'first attempt, long\n');
  const { response, text, until } = await follow('');
  await until(20);
  writeFileSync(path, 'second\n');
  await until(27);
  expect(text()).toBe('first attempt, long\nsecond\n');
  response.destroy();
});

test('followers end when the server closes', async () => {
  writeFileSync(path, 'one\n');
  const { response, until } = await follow('');
  await until(4);
  const ended = once(response, 'end');
  await harness.close();
  await ended;
  expect(response.complete).toBe(true);
  harness = await startServer();
});
