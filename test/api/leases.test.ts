/** Leases over a real unix socket in front of a fake yard: who is told what, and when a lease is taken back. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jobOfEvent } from '../../src/model/event.ts';
import { refusal } from '../../src/model/refusal.ts';
import { identityOf } from '../../src/platform/processes.ts';
import type { Identity } from '../../src/server/identity.ts';
import { type Harness, startServer } from './harness.ts';
import { openLease } from './lease-stream.ts';

const WISH = { kind: 'tf_mnist_train.py::train_job', gpus: 1 };

/** Who the next connections are. */
let caller = { uid: 1000, user: 'alice', pid: process.pid as number | null };
const identity: Identity = () => ({ ok: true, caller });

let harness: Harness;
beforeEach(async () => {
  caller = { uid: 1000, user: 'alice', pid: process.pid };
  harness = await startServer({ identity, heartbeatMs: 20 });
});
afterEach(() => harness.close());

const ask = (body: unknown = WISH) => openLease(harness.socketPath, body);
const complete = (lease: string, body: unknown = {}) =>
  harness.call('POST', `/v1/leases/${lease}/complete`, { body });

/** Resolves when the yard has recorded the end of the job. */
const endOf = (job: number) =>
  new Promise<void>((resolve) => {
    const stop = harness.yard.onCommit((events) => {
      if (!events.some(({ event }) => event.type === 'jobEnded' && jobOfEvent(event) === job)) return;
      stop();
      resolve();
    });
  });

describe('asking for one', () => {
  test('is submitting a job that the yard runs nothing of', async () => {
    await ask({ ...WISH, memoryLimited: true });
    expect(harness.yard.submitted[0]).toMatchObject({
      name: 'tf_mnist_train.py::train_job',
      user: 'alice',
      queue: '',
      kind: 'tf_mnist_train.py::train_job',
      requeue: false,
      program: { argv: ['tf_mnist_train.py::train_job'], spread: 'caller', caller: identityOf(process.pid) },
      resources: {
        ranks: 1,
        cpusPerRank: 0,
        gpus: { count: 1, per: 'job', kind: null, shareMillis: 1000, sharing: 'auto', isLimited: true },
      },
      origin: { dialect: 'glb', words: {} },
    });
  });

  test('why it waits is said at once, and again only when that has changed', async () => {
    const lease = await ask();
    const sentence = 'job 1 waits for its turn: 2 jobs of higher priority go first';
    expect(await lease.word('waiting')).toEqual({ state: 'waiting', job: 1, sentence });
    harness.yard.record({ type: 'jobPending', job: 1 });
    await harness.call('POST', '/v1/jobs/1/hold');
    expect(await lease.word('waiting')).toEqual({
      state: 'waiting',
      job: 1,
      sentence: 'job 1 is about to start',
    });
    harness.yard.start(1);
    await lease.word('granted');
    expect(lease.words.filter((word) => 'state' in word && word.state === 'waiting')).toHaveLength(2);
  });

  test('what is granted, and how frameworks find it', async () => {
    const lease = await ask();
    harness.yard.start(1);
    expect(await lease.word('granted')).toEqual({
      state: 'granted',
      job: 1,
      lease: '1.1',
      devices: [{ node: 'here', index: 0, kind: 'sim', memoryBytes: 2 ** 34, shareBytes: 2 ** 33 }],
      variables: {
        CUDA_VISIBLE_DEVICES: '0',
        TF_FORCE_GPU_ALLOW_GROWTH: 'true',
        XLA_PYTHON_CLIENT_PREALLOCATE: 'false',
        TRAINYARD_SIMULATED_GPUS: '/yard/simulated-gpus/here',
        TRAINYARD_LEASE: '1.1',
      },
      isLearning: false,
    });
  });

  test('a sign of life comes now and then', async () => {
    const lease = await ask();
    harness.yard.start(1);
    await lease.word('granted');
    const granted = lease.words.length;
    await lease.until(granted + 2);
    expect(lease.words.slice(granted, granted + 2)).toEqual([{}, {}]);
  });

  test.each([
    [{}, 'kind: missing'],
    [{ kind: 'a', gpus: 0 }, 'gpus: '],
    [{ kind: 'a', colour: 'red' }, 'body: "colour" is not known here'],
    [{ lease: '1.1', kind: 'a' }, 'lease: whoever goes on with one gives nothing else'],
    [{ kind: 'two\nlines' }, 'kind: must not contain control characters'],
  ])('%j is refused', async (body, beginning) => {
    const lease = await ask(body);
    expect(lease.status).toBe(422);
    expect((await lease.refusal()).error?.message).toContain(beginning);
    expect(harness.yard.submitted).toEqual([]);
  });

  test('a yard without GPUs says what to do', async () => {
    harness.yard.nodes.set('here', { ...harness.yard.nodes.get('here')!, devices: [] });
    const noGpus = {
      ...refusal('neverPossible', 'it wants 1 GPU and there is none'),
      about: 'gpus' as const,
    };
    harness.yard.refuseNext(noGpus);
    const lease = await ask();
    expect(lease.status).toBe(422);
    const { error } = await lease.refusal();
    expect(error?.message).toBe('this yard has no GPUs to share out');
    expect(error?.hint).toContain('--simulate-gpus');
  });
});

describe('giving one back', () => {
  test.each([
    [{ succeeded: true }, 'succeeded'],
    [{ succeeded: false }, 'failed'],
    [{ succeeded: false, outOfMemory: true }, 'deviceOutOfMemory'],
    [{}, 'succeeded'],
  ] as const)('%j', async (body, how) => {
    const lease = await ask();
    harness.yard.start(1);
    await lease.word('granted');
    const { status, json } = await complete('1.1', body);
    expect([status, json]).toEqual([200, { job: 1, changed: true }]);
    expect(harness.yard.givenBack).toEqual([['1.1', how]]);
    expect(harness.yard.phaseOf(1)).toBe('ended');
    expect(await lease.word('ended')).toEqual({ state: 'ended', why: 'job 1 completed' });
    await lease.ended;
    expect((await complete('1.1', body)).json).toEqual({ job: 1, changed: false });
    expect(harness.yard.listenerCount()).toBe(0);
  });

  test.each(['7.1', '1.2', 'one', '1'])('%s is no lease', async (name) => {
    const lease = await ask();
    harness.yard.start(1);
    await lease.word('granted');
    const { status, json } = await complete(name);
    expect([status, json.error?.code]).toEqual([404, 'noSuchJob']);
  });

  test('a job that is none cannot be given back', async () => {
    await harness.call('POST', '/v1/jobs', { body: { command: ['true'], workDir: '/' } });
    harness.yard.start(1);
    expect((await complete('1.1')).status).toBe(404);
  });

  test('nobody else may, except root', async () => {
    const lease = await ask();
    harness.yard.start(1);
    await lease.word('granted');
    caller = { uid: 1001, user: 'bob', pid: process.pid };
    expect((await complete('1.1')).status).toBe(403);
    caller = { uid: 0, user: 'root', pid: process.pid };
    expect((await complete('1.1')).status).toBe(200);
  });
});

describe('hanging up', () => {
  test('takes one that waits out of the queue', async () => {
    const lease = await ask();
    await lease.word('waiting');
    const ended = endOf(1);
    lease.hangUp();
    await ended;
    expect(harness.yard.commands.at(-1)).toMatchObject({ type: 'cancel', by: 'alice' });
    expect(harness.yard.listenerCount()).toBe(0);
  });

  test('gives one back that is held', async () => {
    const lease = await ask();
    harness.yard.start(1);
    await lease.word('granted');
    const ended = endOf(1);
    lease.hangUp();
    await ended;
    expect(harness.yard.givenBack).toEqual([['1.1', 'killed']]);
  });

  test('of the yard gives nothing back', async () => {
    const held = await ask();
    harness.yard.start(1);
    await held.word('granted');
    const waiting = await ask();
    await waiting.word('waiting');
    const { yard } = harness;
    await harness.close();
    await Promise.all([held.ended, waiting.ended]);
    expect(yard.givenBack).toEqual([]);
    expect(yard.commands.map(({ type }) => type)).toEqual(['submit', 'submit']);
    expect([held, waiting].flatMap(({ words }) => words).some((word) => 'why' in word)).toBe(false);
    harness = await startServer({ identity });
  });
});

describe('going on with one', () => {
  test('the newest connection counts', async () => {
    const first = await ask();
    harness.yard.start(1);
    await first.word('granted');
    const second = await ask({ lease: '1.1' });
    expect(await second.word('granted')).toMatchObject({ job: 1, lease: '1.1' });
    first.hangUp();
    await first.ended;
    expect((await complete('1.1')).json).toEqual({ job: 1, changed: true });
    expect(harness.yard.givenBack).toEqual([['1.1', 'succeeded']]);
    await second.word('ended');
  });

  test('only the process that holds it may', async () => {
    const lease = await ask();
    harness.yard.start(1);
    await lease.word('granted');
    caller = { ...caller, pid: process.ppid };
    const other = await ask({ lease: '1.1' });
    expect(other.status).toBe(403);
    expect((await other.refusal()).error?.message).toBe('lease 1.1 is held by another process');
  });

  test('one that is over is refused', async () => {
    const lease = await ask();
    harness.yard.start(1);
    await lease.word('granted');
    await complete('1.1');
    expect((await ask({ lease: '1.1' })).status).toBe(409);
    expect((await ask({ lease: '9.1' })).status).toBe(404);
  });
});

describe('after the yard was started again', () => {
  const restart = async () => {
    const { yard } = harness;
    await harness.close();
    harness = await startServer({ identity, yard });
    harness = { ...harness, yard };
  };

  test('one that is held is the same as before', async () => {
    const before = await ask();
    harness.yard.start(1);
    await before.word('granted');
    await restart();
    const after = await ask({ lease: '1.1' });
    expect(await after.word('granted')).toMatchObject({ lease: '1.1' });
    const ended = endOf(1);
    after.hangUp();
    await ended;
  });

  test('one that waits has its place in line again', async () => {
    await (await ask()).word('waiting');
    await restart();
    const again = await ask();
    expect(await again.word('waiting')).toMatchObject({ job: 1 });
    const another = await ask();
    expect(await another.word('waiting')).toMatchObject({ job: 2 });
  });

  test('one that has got its place meanwhile is given to whoever waited for it', async () => {
    await (await ask()).word('waiting');
    const { yard } = harness;
    await restart();
    yard.start(1);
    expect(await (await ask()).word('granted')).toMatchObject({ lease: '1.1' });
  });

  test("another process's is not", async () => {
    await (await ask()).word('waiting');
    await restart();
    caller = { ...caller, pid: process.ppid };
    expect(await (await ask()).word('waiting')).toMatchObject({ job: 2 });
  });
});

test('three hundred who wait do not keep one from giving back', async () => {
  const held = await ask();
  harness.yard.start(1);
  await held.word('granted');
  const waiting = await Promise.all(Array.from({ length: 300 }, () => ask()));
  await Promise.all(waiting.map((lease) => lease.word('waiting')));
  let asked = 0;
  const { query } = harness.yard;
  harness.yard.query = ((...args: Parameters<typeof query>) => {
    asked += 1;
    return query(...args);
  }) as typeof query;
  expect((await complete('1.1')).json).toEqual({ job: 1, changed: true });
  expect(asked).toBeLessThan(10);
  for (const lease of waiting) lease.hangUp();
});
