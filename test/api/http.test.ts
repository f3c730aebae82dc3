/** The JSON API over a real unix socket: submissions, errors, bounds, identity. */

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Fault, refusal } from '../../src/model/refusal.ts';
import { type Harness, startServer } from './harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await startServer();
});
afterEach(() => harness.close());

const SMALL = { command: ['/bin/true'], workDir: '/tmp' };

describe('submitting', () => {
  test('a small wish becomes a whole JobSpec', async () => {
    const { status, json, headers } = await harness.call('POST', '/v1/jobs', { body: SMALL });
    expect(status).toBe(201);
    expect(json).toEqual({ job: 1, changed: true });
    expect(headers.location).toBe('/v1/jobs/1');
    const [spec] = harness.yard.submitted;
    expect(spec).toMatchObject({
      name: 'true',
      user: 'alice',
      queue: '',
      workDir: '/tmp',
      requeue: true,
      streams: { stdout: 'trainyard-%j.out', stderr: null, openMode: 'truncate', makeDirectories: true },
      resources: { nodes: { min: 1, max: 1 }, ranks: 1, cpusPerRank: 1, cpusAsked: false, gpus: null },
      program: { script: null, argv: ['/bin/true'], umask: 0o022, spread: 'once' },
      origin: { dialect: 'api', words: {} },
    });
    const environment = harness.yard.blobs.get(spec?.program.environment ?? '');
    expect(Buffer.from(environment ?? []).toString()).toBe('PATH=/usr/bin:/bin\0');
  });

  test.each([
    [{ ...SMALL, colour: 'red' }, 'body: "colour" is not known here'],
    [{ ...SMALL, resources: { ranks: 0 } }, 'resources.ranks: '],
    [{ ...SMALL, resources: { gpus: { count: 1, model: 'a100' } } }, 'resources.gpus: '],
    [{ ...SMALL, workDir: 'here' }, 'workDir: must be an absolute path'],
    [{ ...SMALL, environment: { 'A=B': 'x' } }, 'environment.A=B: '],
    [{ ...SMALL, command: ['a\0b'] }, 'command[0]: must not contain a NUL character'],
    [{ ...SMALL, name: 'two\nlines' }, 'name: must not contain control characters'],
    [{ ...SMALL, array: '9-0' }, 'array: "9-0" is not a set of indices'],
    [{ ...SMALL, array: '0-9%0' }, 'array: "0-9%0" is not a set of indices'],
    [{ ...SMALL, dependencies: { terms: [{ kind: 'before', job: 1 }] } }, 'dependencies.terms[0].kind: '],
    [{ workDir: '/tmp' }, 'command: missing'],
    [{ ...SMALL, script: '#!/bin/sh\n' }, 'command: give a command or a script, not both'],
    [{ workDir: '/tmp', script: 'echo\r\n' }, 'script: it has DOS line endings'],
    [[1, 2], 'body: expected object, received array'],
  ])('%j is refused with its path', async (body, beginning) => {
    const { status, json } = await harness.call('POST', '/v1/jobs', { body });
    expect(status).toBe(422);
    expect(json.error?.code).toBe('badRequest');
    expect(json.error?.message).toContain(beginning);
    expect(harness.yard.submitted).toEqual([]);
    expect(harness.yard.blobs.size).toBe(0);
  });

  test('a wrong word is answered with the right ones', async () => {
    const body = { ...SMALL, spread: 'wide' };
    const { json } = await harness.call('POST', '/v1/jobs', { body });
    expect(json.error?.choices).toEqual(['once', 'everyRank']);
  });

  test('the same Idempotency-Key gives the same job', async () => {
    const headers = { 'Idempotency-Key': 'k1' };
    const [first, second] = await Promise.all([
      harness.call('POST', '/v1/jobs', { body: SMALL, headers }),
      harness.call('POST', '/v1/jobs', { body: SMALL, headers }),
    ]);
    expect([first.status, second.status].sort()).toEqual([200, 201]);
    expect(first.json.job).toBe(second.json.job);
    expect(harness.yard.submitted).toHaveLength(1);
    const other = await harness.call('POST', '/v1/jobs', { body: { ...SMALL, name: 'other' }, headers });
    expect(other.status).toBe(422);
  });

  test('a submission that failed may be tried again with the same key', async () => {
    const headers = { 'Idempotency-Key': 'k1' };
    harness.yard.failNext(new Fault('the disk is full', true));
    expect((await harness.call('POST', '/v1/jobs', { body: SMALL, headers })).status).toBe(503);
    expect((await harness.call('POST', '/v1/jobs', { body: SMALL, headers })).status).toBe(201);
  });
});

describe('errors', () => {
  test('what is not there', async () => {
    const { status, json } = await harness.call('GET', '/v1/trains');
    expect(status).toBe(404);
    expect(json.error?.choices).toContain('POST /v1/jobs');
    expect((await harness.call('GET', '/v1/jobs/7')).json.error?.code).toBe('noSuchJob');
    expect((await harness.call('POST', '/v1/jobs/7/cancel')).status).toBe(404);
    expect((await harness.call('POST', '/v1/nodes/there/drain')).json.error?.choices).toEqual(['here']);
    expect((await harness.call('POST', '/v1/queues/there/disable')).json.error?.choices).toEqual(['main']);
  });

  test('a kind of job of which nothing is known', async () => {
    const set = (body: object) => harness.call('POST', '/v1/footprints/set', { body });
    expect((await set({ key: 'nope', memoryBytes: 1 })).json.error?.message).toBe('nothing is known of that');
    expect((await set({ key: 'nope' })).json.error?.message).toContain('memoryBytes or loadMillis is wanted');
    expect((await set({ key: 'nope', loadMillis: 1001 })).status).toBe(422);
    expect((await harness.call('POST', '/v1/footprints/forget', { body: {} })).json.error?.message).toContain(
      'keys',
    );
    expect((await harness.call('GET', '/v1/footprints?like=x')).status).toBe(400);
  });

  test('an element that has not started is told apart from one that is not there', async () => {
    await harness.call('POST', '/v1/jobs', { body: { ...SMALL, array: '0-3' } });
    for (const path of [
      '/v1/jobs/1_2',
      '/v1/jobs/1_2/why',
      '/v1/jobs/1_2/log',
      '/v1/jobs/1_2/log?follow=true',
    ]) {
      const { status, json } = await harness.call('GET', path);
      expect(status).toBe(404);
      expect(json.error?.message).toBe('element 1_2 has not started and has no record of its own yet');
    }
    expect((await harness.call('GET', '/v1/jobs/1_7')).json.error?.message).toBe('there is no job 1_7');
  });

  test('a reference that is none', async () => {
    const { status, json } = await harness.call('GET', '/v1/jobs/seven');
    expect(status).toBe(400);
    expect(json.error?.message).toBe('"seven" is not a job');
    expect((await harness.call('GET', '/v1/jobs/%FF')).status).toBe(404);
  });

  test('a method that is not possible names those that are', async () => {
    const { status, headers } = await harness.call('PUT', '/v1/jobs');
    expect(status).toBe(405);
    expect(headers.allow).toBe('GET, POST');
  });

  test('a query parameter that is not known, wrong, or said twice', async () => {
    const unknown = await harness.call('GET', '/v1/jobs?color=red');
    expect(unknown.status).toBe(400);
    expect(unknown.json.error?.choices).toContain('phase');
    const wrong = await harness.call('GET', '/v1/jobs?phase=asleep');
    expect(wrong.json.error?.choices).toContain('pending');
    expect((await harness.call('GET', '/v1/jobs?user=a&user=b')).status).toBe(400);
  });

  test('a job in the wrong state', async () => {
    await harness.call('POST', '/v1/jobs', { body: SMALL });
    await harness.call('POST', '/v1/jobs/1/cancel');
    const { status, json } = await harness.call('POST', '/v1/jobs/1/hold');
    expect(status).toBe(409);
    expect(json.error?.code).toBe('wrongState');
  });

  test('a fault is 503, and says when to come back', async () => {
    harness.yard.failNext(new Fault('the disk is full', true));
    const { status, json, headers } = await harness.call('GET', '/v1/yard');
    expect(status).toBe(503);
    expect(json.error).toEqual({ code: 'fault', message: 'the disk is full', hint: null, choices: [] });
    expect(headers['retry-after']).toBe('1');
  });

  test('a defect shows a reference into the log and no stack', async () => {
    harness.yard.failNext(new TypeError('x is undefined'));
    const { status, json, text } = await harness.call('GET', '/v1/yard');
    expect(status).toBe(500);
    expect(json.error?.message).toMatch(/^this is a defect in Trainyard: x is undefined \(.* [0-9a-f]{8}\)$/);
    expect(text).not.toContain('at ');
    const reference = /([0-9a-f]{8})\)$/.exec(String(json.error?.message))?.[1];
    expect(harness.logged.join()).toContain(`defect ${reference}: TypeError`);
  });

  test('a body that is not JSON, not UTF-8, encoded, or too large', async () => {
    expect((await harness.call('POST', '/v1/jobs', { raw: '{"name":' })).status).toBe(400);
    expect((await harness.call('POST', '/v1/jobs', { raw: Buffer.from([0x22, 0xff, 0x22]) })).status).toBe(
      400,
    );
    const gzip = { raw: 'x', headers: { 'Content-Encoding': 'gzip' } };
    expect((await harness.call('POST', '/v1/jobs', gzip)).status).toBe(415);
    const large = await harness.call('POST', '/v1/jobs', { raw: Buffer.alloc(13 * 1024 * 1024, 32) });
    expect(large.status).toBe(413);
    expect(large.json.error?.code).toBe('tooLarge');
  });

  test('a change of nothing', async () => {
    await harness.call('POST', '/v1/jobs', { body: SMALL });
    const { status, json } = await harness.call('PATCH', '/v1/jobs/1', { body: {} });
    expect(status).toBe(422);
    expect(json.error?.choices).toContain('priority');
  });

  test('an upgrade to something else, and what is no HTTP at all', async () => {
    for (const bytes of [
      'GET /v1/yard HTTP/1.1\r\nHost: y\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
      'good morning\r\n\r\n',
    ]) {
      const socket = connect(harness.socketPath);
      socket.write(bytes);
      const [first] = (await once(socket, 'data')) as [Buffer];
      expect(first.toString()).toMatch(/^HTTP\/1\.1 400 /);
      expect(first.toString()).toContain('"code":"badRequest"');
      socket.destroy();
    }
  });
});

test('a command carries the caller and the signal by number', async () => {
  await harness.call('POST', '/v1/jobs', { body: SMALL });
  await harness.call('POST', '/v1/jobs/1/signal', { body: { signal: 'sigterm', scope: 'all' } });
  expect(harness.yard.commands.at(-1)).toEqual({
    type: 'signal',
    target: { job: 1, index: null },
    by: 'alice',
    signal: 15,
    scope: 'all',
  });
  const unknown = await harness.call('POST', '/v1/jobs/1/signal', { body: { signal: 'HELLO' } });
  expect(unknown.status).toBe(422);
  expect(unknown.json.error?.choices).toContain('USR1');
});

test('a stranger is refused everywhere', async () => {
  const reason = refusal('notAllowed', 'this yard belongs to alice and you are mallory');
  const guarded = await startServer({ identity: () => ({ ok: false, refusal: reason }) });
  for (const path of ['/v1/yard', '/v1/events', '/nowhere']) {
    const { status, json } = await guarded.call('GET', path);
    expect(status).toBe(403);
    expect(json.error?.message).toBe(reason.message);
  }
  await guarded.close();
});
