import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aYard, GIB, type JobBuilder, type TestYard } from '../../../test/builders.ts';
import { devicesOf, endsHavingUsed, estimatedBytes, isSeenToUse, runsOut } from '../../../test/gpu-yard.ts';
import { PLAIN_GPU_POLICY } from '../../model/plain.ts';

const train = aJob().sharing('python train.py');

/** Its kind has been seen to use 4 GiB once. */
function knowing(job: JobBuilder = train): TestYard {
  const yard = aYard(aPolicy()).withNodes(aNode('n1').withCpus(64).withGpus(2));
  endsHavingUsed(yard, yard.run(job), 4 * GIB);
  return yard;
}

describe('a job that shared a device', () => {
  test('runs again with one to itself, and keeps its age', () => {
    const yard = knowing();
    const [id, neighbour] = [yard.run(train), yard.run(train)];
    const { eligibleAt } = yard.job(id);
    runsOut(yard, id, 10 * GIB);
    expect(yard.job(id)).toMatchObject({ phase: 'pending', eligibleAt, restarts: 1 });
    yard.schedule();
    expect(devicesOf(yard, id)).toMatchObject([{ index: 1, millis: 1000 }]);
    expect(devicesOf(yard, neighbour)).toMatchObject([{ index: 0 }]);
    endsHavingUsed(yard, id, 12 * GIB);
    expect(yard.job(id).outcome).toBe('completed');
    expect(estimatedBytes(yard, neighbour)).toBeGreaterThanOrEqual(12 * GIB);
  });

  test('ends when the whole device is not enough either', () => {
    const yard = knowing();
    const id = yard.run(train);
    runsOut(yard, id, 10 * GIB);
    yard.schedule();
    runsOut(yard, id, 40 * GIB);
    expect(yard.job(id).outcome).toBe('deviceOutOfMemory');
  });

  test('because it asked for a part of it runs again too', () => {
    const yard = knowing();
    const id = yard.run(aJob().wanting({ gpus: 1, gpuShare: 250 }));
    runsOut(yard, id, 10 * GIB);
    yard.schedule();
    expect(devicesOf(yard, id)).toMatchObject([{ millis: 1000 }]);
  });

  test('runs again on several devices where it had several', () => {
    const two = train.wanting({ gpus: 2, gpuSharing: 'auto' });
    const yard = knowing(two);
    const id = yard.run(two);
    runsOut(yard, id, 10 * GIB);
    yard.schedule();
    expect(devicesOf(yard, id)).toMatchObject([{ millis: 1000 }, { millis: 1000 }]);
  });

  test('ends when it may not run again, and its kind is given more all the same', () => {
    const yard = knowing();
    const id = yard.run(train.neverRequeued());
    runsOut(yard, id, 4 * GIB);
    expect(yard.job(id).outcome).toBe('deviceOutOfMemory');
    expect(estimatedBytes(yard, id)).toBeGreaterThan(7 * GIB);
  });

  test('held by a caller ends: only the caller could run something in it again', () => {
    const yard = knowing();
    const id = yard.run(train.saying({ program: { ...train.spec.program, spread: 'caller' } }));
    runsOut(yard, id, 4 * GIB);
    expect(yard.job(id).outcome).toBe('deviceOutOfMemory');
    expect(estimatedBytes(yard, id)).toBeGreaterThan(7 * GIB);
  });

  test('that somebody has cancelled is not run again', () => {
    const yard = knowing();
    const id = yard.run(train);
    yard.tell({ type: 'cancel', target: { job: id, index: null }, by: 'ann' });
    runsOut(yard, id, 4 * GIB);
    expect(yard.job(id).outcome).toBe('cancelled');
  });

  test('may have its record looked at after its processes had gone', () => {
    const yard = knowing();
    const id = yard.run(train);
    yard.syncs(id, 1, { deviceOutOfMemory: true });
    yard.ends(id, 1);
    yard.schedule();
    expect(devicesOf(yard, id)).toMatchObject([{ millis: 1000 }]);
  });
});

describe('a job that had a device to itself', () => {
  test('has come to its end', () => {
    const yard = knowing();
    const id = yard.run(aJob().wanting({ gpus: 1 }));
    runsOut(yard, id, 40 * GIB);
    expect(yard.job(id).outcome).toBe('deviceOutOfMemory');
  });

  test('to show what its kind uses lets the next one try', () => {
    const yard = knowing();
    const big = aJob().named('big').sharing('python big.py');
    runsOut(yard, yard.run(big), 40 * GIB, { ranMs: 1000 });
    expect(devicesOf(yard, yard.run(big))).toMatchObject([{ learningOn: 'a100' }]);
  });

  test('because it had grown to all of it has come to its end too', () => {
    const yard = knowing();
    const id = yard.run(train);
    isSeenToUse(yard, id, 40 * GIB);
    runsOut(yard, id, 40 * GIB);
    expect(yard.job(id).outcome).toBe('deviceOutOfMemory');
  });
});

describe('an exit code that says so', () => {
  test('counts where the yard knows it', () => {
    const yard = knowing();
    yard.policy = aPolicy({ gpu: { ...PLAIN_GPU_POLICY, outOfMemoryExitCodes: [77] } });
    const [a, b] = [yard.run(train), yard.run(train)];
    yard.ends(a, 77);
    yard.ends(b, 78);
    expect([a, b].map((id) => yard.job(id).phase)).toEqual(['pending', 'ended']);
  });

  test('means nothing of a job without devices', () => {
    const yard = knowing();
    yard.policy = aPolicy({ gpu: { ...PLAIN_GPU_POLICY, outOfMemoryExitCodes: [77] } });
    const id = yard.run(aJob());
    yard.ends(id, 77);
    expect(yard.job(id).outcome).toBe('failed');
  });
});
