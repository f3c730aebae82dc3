/** Leases of a real yard with pretended GPUs: who gets one, who waits for whom, and that none is ever left behind. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { yardApi } from '../../src/client/api.ts';
import type { Event } from '../../src/model/event.ts';
import type { JobView, NodeView } from '../../src/model/query.ts';
import { openLease } from '../api/lease-stream.ts';
import { type LeaseYard, leaseYard } from './lease-yard.ts';

const TRAIN = 'tf_mnist_train.py::train_job';
const OTHER = 'torch_mnist_train.py::train_job';

let yard: LeaseYard;
beforeEach(async () => {
  yard = await leaseYard('4x16G');
});
afterEach(async () => {
  const left = await liveJobs();
  await yard.close();
  if (left.length > 0) throw new Error(`leases were left behind: ${left.join(', ')}`);
});

const liveJobs = async () => {
  const { jobs } = await yardApi(yard.socketPath()).get<{ jobs: readonly JobView[] }>(
    '/v1/jobs?phase=pending,active',
  );
  return jobs.map(({ job }) => job.id);
};

const devicesInUse = async () => {
  const { nodes } = await yardApi(yard.socketPath()).get<{ nodes: readonly NodeView[] }>('/v1/nodes');
  return nodes.flatMap(({ devices }) => devices.filter(({ usedMillis }) => usedMillis > 0));
};

const isEndOf = (job: number) => (event: Event) => event.type === 'jobEnded' && event.job === job;

describe('who gets one', () => {
  test('the first of its kind has a device alone; its equals wait for it, other kinds do not', async () => {
    const first = await yard.lease(TRAIN);
    const granted = await first.word('granted');
    expect(granted).toMatchObject({ job: 1, lease: '1.1', isLearning: true });
    expect(granted.devices).toMatchObject([
      { index: 0, kind: 'simulated', memoryBytes: 2 ** 34, shareBytes: 2 ** 34 },
    ]);
    expect(granted.variables).toMatchObject({
      CUDA_VISIBLE_DEVICES: '0',
      TRAINYARD_SIMULATED_GPUS: expect.stringMatching(`^${yard.directory}/simulated-gpus/.`),
    });
    const equal = await yard.lease(TRAIN);
    expect((await equal.word('waiting')).sentence).toContain(
      'waits for job 1, the first like `tf_mnist_train.py::train_job`',
    );
    const other = await yard.lease(OTHER);
    expect((await other.word('granted')).devices).toMatchObject([{ index: 1 }]);

    expect(await yard.complete('1.1')).toEqual({ job: 1, changed: true });
    expect((await equal.word('granted')).lease).toBe('2.1');
    expect((await first.word('ended')).why).toBe('job 1 completed');
    await yard.complete('2.1');
    await yard.complete('3.1');
    expect(await devicesInUse()).toEqual([]);
  });

  test('those of one kind are served in the order in which they came', async () => {
    const leases = [];
    for (let n = 0; n < 5; n++) leases.push(await yard.lease(TRAIN));
    const isGranted = leases.map(() => false);
    for (const [at, lease] of leases.entries()) {
      expect((await lease.word('granted')).job).toBe(at + 1);
      for (const [n, { words }] of leases.entries()) isGranted[n] ||= words.some((word) => 'lease' in word);
      // Nobody is served before those who came earlier.
      expect(isGranted).toEqual(isGranted.toSorted((a, b) => Number(b) - Number(a)));
      // Its equals wait for the first, of whom so little was seen that each of them is alone as well.
      if (at === 0) expect(isGranted.filter(Boolean)).toHaveLength(1);
      await yard.complete(`${at + 1}.1`);
    }
  });

  test('several devices at once, and never more than there are', async () => {
    const three = await yard.lease(TRAIN, { gpus: 3 });
    expect((await three.word('granted')).variables.CUDA_VISIBLE_DEVICES).toBe('0,1,2');
    const two = await yard.lease(OTHER, { gpus: 2 });
    expect((await two.word('waiting')).sentence).toContain('waits for a free GPU');
    await yard.complete('1.1');
    expect((await two.word('granted')).devices).toHaveLength(2);
    await yard.complete('2.1');
    const refused = await yard.lease(TRAIN, { gpus: 5 });
    expect(refused.status).toBe(422);
  });

  test('with fifty in line, one that gives back is answered and the next one is served', async () => {
    const leases = [];
    for (let n = 0; n < 51; n++) leases.push(await yard.lease(TRAIN));
    await leases[0]?.word('granted');
    await Promise.all(leases.slice(1).map((lease) => lease.word('waiting')));
    expect(await yard.complete('1.1')).toEqual({ job: 1, changed: true });
    await leases[1]?.word('granted');
    for (const lease of leases) lease.hangUp();
    await Promise.all(leases.map((_, at) => yard.event(isEndOf(at + 1))));
    expect(await devicesInUse()).toEqual([]);
  });
});

describe('an end frees it at once', () => {
  test('a first one that failed: the next of its kind has its turn', async () => {
    const first = await yard.lease(TRAIN);
    const next = await yard.lease(TRAIN);
    await first.word('granted');
    await yard.complete('1.1', { succeeded: false });
    expect(await next.word('granted')).toMatchObject({ lease: '2.1', isLearning: true });
    expect((await first.word('ended')).why).toBe('job 1 failed with exit code 1');
    await yard.complete('2.1', { succeeded: false, outOfMemory: true });
    expect((await next.word('ended')).why).toBe('job 2 ran out of the memory of a GPU');
    expect(await yard.complete('2.1')).toEqual({ job: 2, changed: false });
  });

  test('a client that is killed', async () => {
    const client = await yard.process(TRAIN);
    await client.word('granted');
    const next = await yard.lease(TRAIN);
    await next.word('waiting');
    await client.kill();
    expect(await yard.event(isEndOf(1))).toMatchObject({ outcome: 'failed' });
    expect(await next.word('granted')).toMatchObject({ lease: '2.1' });
    await yard.complete('2.1');
  });

  test('a client that hangs up, holding or waiting', async () => {
    const holder = await yard.lease(TRAIN);
    await holder.word('granted');
    const waiting = await yard.lease(TRAIN);
    await waiting.word('waiting');
    waiting.hangUp();
    expect(await yard.event(isEndOf(2))).toMatchObject({ outcome: 'cancelled' });
    holder.hangUp();
    await yard.event(isEndOf(1));
    expect(await devicesInUse()).toEqual([]);
  });

  test('somebody cancels it, and its holder is told', async () => {
    const lease = await yard.lease(TRAIN);
    await lease.word('granted');
    const waiting = await yard.lease(TRAIN);
    await waiting.word('waiting');
    await yard.run('cancel', '2', '1');
    expect((await waiting.word('ended')).why).toMatch(/^job 2 was cancelled by .+ before it started$/);
    expect((await lease.word('ended')).why).toMatch(/^job 1 was cancelled by /);
    await Promise.all([lease.ended, waiting.ended]);
    expect(await devicesInUse()).toEqual([]);
  });
});

describe('a yard that is killed', () => {
  const killDaemon = async (...streams: readonly { readonly ended: Promise<void> }[]) => {
    process.kill(await yard.daemonPid(), 'SIGKILL');
    await Promise.all(streams.map(({ ended }) => ended));
    await yard.startAgain();
  };

  test('who held one goes on, and who waited has its place', async () => {
    const held = await yard.lease(TRAIN);
    await held.word('granted');
    const waiting = await yard.lease(TRAIN);
    await waiting.word('waiting');
    await killDaemon(held, waiting);

    const again = await openLease(yard.socketPath(), { lease: '1.1' });
    expect(await again.word('granted')).toMatchObject({ job: 1, devices: [{ index: 0 }], isLearning: true });
    const waitingAgain = await yard.lease(TRAIN);
    expect((await waitingAgain.word('waiting')).job).toBe(2);
    const stranger = await yard.process(TRAIN);
    expect((await stranger.word('waiting')).job).toBe(3);
    await yard.complete('1.1');
    expect((await waitingAgain.word('granted')).lease).toBe('2.1');
    await yard.complete('2.1');
    await stranger.word('granted');
    await stranger.kill();
    await yard.event(isEndOf(3));
  });

  test('a holder that died meanwhile is noticed', async () => {
    const client = await yard.process(TRAIN);
    await client.word('granted');
    process.kill(await yard.daemonPid(), 'SIGKILL');
    await client.kill();
    await yard.startAgain();
    await yard.event(isEndOf(1));
    expect(await devicesInUse()).toEqual([]);
  });

  test('one that is stopped in an orderly way keeps them too', async () => {
    const held = await yard.lease(TRAIN);
    await held.word('granted');
    await yard.run('down');
    await held.ended;
    await yard.startAgain();
    const again = await openLease(yard.socketPath(), { lease: '1.1' });
    expect(await again.word('granted')).toMatchObject({ job: 1 });
    again.hangUp();
    await yard.event(isEndOf(1));
  });
});

test('a yard without GPUs refuses, and says what to do', async () => {
  await yard.run('down');
  await yard.run('up', '--simulate-gpus', '0');
  await yard.startAgain();
  const refused = await yard.lease(TRAIN);
  expect(refused.status).toBe(422);
  const { error } = await refused.refusal();
  expect(error?.message).toBe('this yard has no GPUs to share out');
  expect(error?.hint).toContain('--simulate-gpus 4x16G');
});
