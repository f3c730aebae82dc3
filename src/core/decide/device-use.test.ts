import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aYard, GIB, MINUTE, type TestYard } from '../../../test/builders.ts';
import { devicesOf, endsHavingUsed, isSeenToUse, knownOf, strangersUse } from '../../../test/gpu-yard.ts';
import { PLAIN_GPU_POLICY } from '../../model/plain.ts';

const train = aJob().sharing('python train.py');
const other = aJob().sharing('python other.py');
const LONG = { ranMs: 10 * MINUTE };

function gpuYard(gpus = 1): TestYard {
  return aYard(aPolicy()).withNodes(aNode('n1').withCpus(64).withGpus(gpus));
}

/** Both kinds were seen to use so much once. */
function knowing(bytes: number, gpus = 1): TestYard {
  const yard = gpuYard(gpus);
  for (const job of [train, other]) endsHavingUsed(yard, yard.run(job), bytes);
  return yard;
}

describe('an attempt that uses more than is kept for it', () => {
  test('keeps what it uses, so that nobody is promised that as well', () => {
    const yard = knowing(4 * GIB);
    const id = yard.run(train);
    isSeenToUse(yard, id, 30 * GIB);
    expect(devicesOf(yard, id)).toEqual([{ index: 0, millis: 750, loadMillis: 300, hasGrown: true }]);
    const [second, third] = [yard.submit(other), yard.submit(other)];
    yard.schedule();
    expect([second, third].map((job) => yard.job(job).phase)).toEqual(['active', 'active']);
    const fourth = yard.submit(other);
    yard.schedule();
    expect(yard.job(fourth).phase).toBe('pending');
  });

  test('does not shrink when it is seen to use less', () => {
    const yard = knowing(4 * GIB);
    const id = yard.run(train);
    isSeenToUse(yard, id, 10 * GIB);
    const { events } = yard;
    const before = events.length;
    isSeenToUse(yard, id, 2 * GIB);
    isSeenToUse(yard, id, 10 * GIB);
    expect(events.length).toBe(before);
  });

  test('may take all that is left of a device and more: nobody comes beside it until others have gone', () => {
    const yard = knowing(15 * GIB);
    const [a, b] = [yard.run(train), yard.run(other)];
    isSeenToUse(yard, a, 30 * GIB);
    expect(yard.state.ledgers.get('n1')?.free.devices[0]).toBeLessThan(0);
    yard.submit(aJob().wanting({ gpus: 1, gpuShare: 1 }));
    expect(yard.plan().starts).toEqual([]);
    endsHavingUsed(yard, a, 30 * GIB);
    endsHavingUsed(yard, b, 15 * GIB);
    expect(yard.state.ledgers.get('n1')?.free.devices).toEqual([1000]);
  });

  test('says nothing new to a job that has the whole device, or after its end', () => {
    const yard = gpuYard();
    const id = yard.run(aJob().wanting({ gpus: 1 }));
    isSeenToUse(yard, id, 39 * GIB, LONG);
    expect(devicesOf(yard, id)).toEqual([{ index: 0, millis: 1000 }]);
    const { id: attempt } = yard.job(id).attempt ?? {};
    yard.ends(id);
    expect(yard.tell({ type: 'deviceUseSeen', attempt: attempt ?? '', uses: [], ranMs: 1 }).changed).toBe(
      false,
    );
  });
});

describe('the first of its kind', () => {
  test('shares with nobody, however little it uses, until it has run long enough', () => {
    const yard = gpuYard();
    const id = yard.run(train);
    isSeenToUse(yard, id, GIB, { ranMs: 9 * MINUTE });
    yard.submit(aJob().wanting({ gpus: 1, gpuShare: 1 }));
    expect(yard.plan().starts).toEqual([]);
    isSeenToUse(yard, id, GIB, LONG);
    expect(yard.plan().starts).toHaveLength(1);
    expect(yard.state.learners.size).toBe(0);
  });

  test('keeps the device when it turns out to use most of it', () => {
    const yard = gpuYard();
    const id = yard.run(train);
    isSeenToUse(yard, id, 30 * GIB, LONG);
    expect(devicesOf(yard, id)).toEqual([{ index: 0, millis: 1000, loadMillis: 1000 }]);
    expect(yard.state.learners.size).toBe(0);
  });

  test('that keeps a device quite idle is known to do so', () => {
    const yard = gpuYard();
    endsHavingUsed(yard, yard.run(train), GIB, { loadMillis: 0 });
    const id = yard.run(train);
    expect(devicesOf(yard, id)).toEqual([{ index: 0, millis: 32, loadMillis: 0 }]);
    expect(yard.state.ledgers.get('n1')?.free.loads).toEqual([0]);
  });

  test('lets its equals go, each alone, when nobody has seen anything of it for long', () => {
    const yard = gpuYard(3);
    const first = yard.run(train);
    const [second, third] = [yard.submit(train), yard.submit(train)];
    yard.pass(2 * PLAIN_GPU_POLICY.learnAfterMs);
    expect(yard.plan().starts).toEqual([]);
    yard.pass(1);
    yard.schedule();
    expect([second, third].map((id) => devicesOf(yard, id))).toMatchObject([
      [{ index: 1, millis: 1000 }],
      [{ index: 2, millis: 1000 }],
    ]);
    expect(yard.state.learners.size).toBe(2);
    expect(knownOf(yard, first)).toBeNull();
  });

  test('may be renamed while it runs', () => {
    const yard = gpuYard(2);
    const id = yard.run(train);
    const target = { job: id, index: null };
    yard.tell({ type: 'update', target, by: 'ann', changes: { name: 'renamed' } });
    yard.submit(train);
    expect(yard.plan().starts).toEqual([]);
    endsHavingUsed(yard, id, GIB);
    expect(yard.state.learners.size).toBe(0);
    expect(yard.plan().starts).toHaveLength(1);
  });

  test('may lose its node: another becomes the first', () => {
    const yard = aYard(aPolicy()).withNodes(aNode('n1').withGpus(1), aNode('n2').withGpus(1));
    const first = yard.run(train);
    const second = yard.submit(train);
    yard.tell({ type: 'nodeLost', node: 'n1', reason: 'it does not answer' });
    expect(yard.state.learners.size).toBe(0);
    yard.schedule();
    expect(devicesOf(yard, first)).toMatchObject([{ learningOn: 'a100' }]);
    expect(yard.job(second).phase).toBe('pending');
  });

  test('may see its node leave for good', () => {
    const yard = aYard(aPolicy()).withNodes(aNode('n1').withGpus(1), aNode('n2').withGpus(1));
    const first = yard.run(train);
    yard.withNodes(aNode('n2').withGpus(1));
    isSeenToUse(yard, first, GIB, LONG);
    endsHavingUsed(yard, first, GIB);
    expect(yard.state.learners.size).toBe(0);
  });
});

describe('strangers', () => {
  test('count as taken', () => {
    const yard = knowing(10 * GIB);
    strangersUse(yard, 'n1', { 0: 30 * GIB });
    yard.submit(train);
    expect(yard.plan().starts).toEqual([]);
    strangersUse(yard, 'n1', {});
    expect(yard.plan().starts).toHaveLength(1);
  });

  test('keep a device from being given whole once they use more than is tolerated', () => {
    const yard = gpuYard();
    yard.submit(train);
    strangersUse(yard, 'n1', { 0: 5 * GIB });
    expect(yard.plan().starts).toEqual([]);
    strangersUse(yard, 'n1', { 0: 4 * GIB });
    expect(yard.plan().starts).toHaveLength(1);
  });

  test('are not forgotten because the node is named again', () => {
    const yard = gpuYard();
    strangersUse(yard, 'n1', { 0: 30 * GIB });
    const before = yard.events.length;
    yard.withNodes(aNode('n1').withCpus(64).withGpus(1));
    expect(yard.state.nodes.get('n1')?.devices[0]?.foreignBytes).toBe(30 * GIB);
    expect(yard.events.length).toBe(before);
  });

  test('that use hardly more or less than before are no news', () => {
    const yard = gpuYard();
    strangersUse(yard, 'n1', { 0: 10 * GIB });
    const before = yard.events.length;
    strangersUse(yard, 'n1', { 0: 10 * GIB - 4096 });
    expect(yard.events.length).toBe(before);
    strangersUse(yard, 'n1', { 0: 10 * GIB + 40 * 1024 ** 2 });
    expect(yard.events.length).toBe(before + 1);
  });

  test('that are seen again are no news, nor are those on devices that are not there', () => {
    const yard = gpuYard();
    strangersUse(yard, 'n1', { 0: GIB });
    const before = yard.events.length;
    strangersUse(yard, 'n1', { 0: GIB, 7: GIB });
    strangersUse(yard, 'elsewhere', { 0: GIB });
    expect(yard.events.length).toBe(before);
  });
});
