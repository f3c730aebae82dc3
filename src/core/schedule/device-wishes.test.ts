import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aYard, GIB, MINUTE, type TestYard } from '../../../test/builders.ts';
import { devicesOf, endsHavingUsed, isSeenToUse, knownOf } from '../../../test/gpu-yard.ts';

const train = aJob().sharing('python train.py');
const wide = (name: string) => aNode(name).withCpus(2000);

function phases(yard: TestYard, ids: readonly number[]): string[] {
  return ids.map((id) => yard.job(id).phase);
}

describe('a kind that nobody has seen', () => {
  test('has one of it alone on a device, while its equals wait and others go', () => {
    const yard = aYard().withNodes(wide('n1').withGpus(4));
    const ids = [train, train, aJob().sharing('python other.py'), train].map((job) => yard.submit(job));
    yard.schedule();
    expect(phases(yard, ids)).toEqual(['active', 'pending', 'active', 'pending']);
    expect(devicesOf(yard, 1)).toEqual([{ index: 0, millis: 1000, loadMillis: 1000, learningOn: 'a100' }]);
  });

  test('is shown on each model of device at once', () => {
    const yard = aYard().withNodes(wide('n1').withGpus(2, 'a100'), wide('n2').withGpus(2, 'l4'));
    const ids = [train, train, train].map((job) => yard.submit(job));
    yard.schedule();
    expect(phases(yard, ids)).toEqual(['active', 'active', 'pending']);
  });

  test('of a thousand equal elements shows one, and packs the rest', () => {
    const yard = aYard().withNodes(wide('n1').withGpus(4));
    const array = yard.submit(train.asArray('0-999'));
    yard.schedule();
    expect(yard.running()).toHaveLength(1);
    endsHavingUsed(yard, { job: array, index: 0 }, GIB, { loadMillis: 10 });
    yard.schedule();
    // 32 thousandths each: 31 on a device.
    expect(yard.running()).toHaveLength(4 * 31);
    for (const { free } of yard.state.ledgers.values())
      for (const millis of free.devices) expect(millis).toBe(8);
  });

  test('that always fails has one after another alone, and comes to its end', () => {
    const yard = aYard().withNodes(wide('n1').withGpus(2));
    const ids = [1, 2, 3, 4].map(() => yard.submit(train));
    for (const id of ids) {
      yard.schedule();
      expect(yard.running()).toEqual([id]);
      endsHavingUsed(yard, id, GIB, { code: 1, ranMs: 1000 });
    }
    expect(yard.state.counts).toMatchObject({ pending: 0, active: 0 });
  });
});

describe('how much it gets', () => {
  test('is all of a device that is smaller than what it uses', () => {
    const yard = aYard().withNodes(wide('n1').withGpus(1, 'a100', 40 * GIB));
    endsHavingUsed(yard, yard.run(train), 20 * GIB);
    yard.withNodes(wide('n1').withGpus(1, 'a100', 20 * GIB), wide('n2').withGpus(1, 'a100', 80 * GIB));
    const ids = [yard.run(train), yard.run(train)];
    expect(ids.map((id) => devicesOf(yard, id)[0]?.millis).sort()).toEqual([1000, 313]);
  });

  test('is all of a device that does not say how much it has', () => {
    const yard = aYard().withNodes(wide('n1').withGpus(2, 'untold', 0));
    const ids = [yard.run(train), yard.run(train)];
    for (const id of ids) expect(devicesOf(yard, id)).toMatchObject([{ millis: 1000 }]);
    isSeenToUse(yard, ids[0] as number, GIB, { ranMs: 10 * MINUTE });
    endsHavingUsed(yard, ids[0] as number, GIB);
    expect(devicesOf(yard, yard.run(train))).toMatchObject([{ millis: 1000 }]);
    expect(yard.state.learners.size).toBe(0);
  });

  test('follows its name where only that is known, however others of its command are called', () => {
    const yard = aYard().withNodes(wide('n1').withGpus(1));
    endsHavingUsed(yard, yard.run(aJob().named('known').sharing('python old.py')), GIB);
    yard.run(aJob().wanting({ gpus: 1, gpuShare: 500 }));
    // Short ones may go before the one for which a device is kept.
    const unknown = yard.submit(train.named('unheard-of').limitedTo(MINUTE));
    const known = yard.submit(train.named('known').limitedTo(MINUTE));
    yard.schedule();
    expect(phases(yard, [unknown, known])).toEqual(['pending', 'active']);
  });
});

describe('limits', () => {
  const policy = aPolicy({ perUser: { maxRunning: null, maxQueued: null, maxCpus: null, maxGpus: 1 } });

  test('count the parts that are really given', () => {
    const yard = aYard(policy).withNodes(wide('n1').withGpus(4));
    endsHavingUsed(yard, yard.run(train), 10 * GIB, { loadMillis: 0 });
    const ids = [1, 2, 3, 4].map(() => yard.submit(train));
    yard.schedule();
    expect(phases(yard, ids)).toEqual(['active', 'active', 'active', 'pending']);
  });

  test('are not passed by being the first on another model of device', () => {
    const yard = aYard(policy).withNodes(wide('n1').withGpus(1, 'a100'));
    endsHavingUsed(yard, yard.run(train), 10 * GIB);
    yard.withNodes(wide('n1').withGpus(1, 'a100'), wide('n2').withGpus(1, 'l4'));
    yard.run(aJob().by('bob').wanting({ gpus: 1, gpuKind: 'a100', gpuShare: 500 }));
    const first = yard.run(train);
    expect(knownOf(yard, first, 'l4')).toBeNull();
    const second = yard.submit(train);
    yard.schedule();
    expect(yard.state.tallies.byUser.get('ann')?.gpuMillis).toBeLessThanOrEqual(1000);
    expect(phases(yard, [first, second])).toEqual(['active', 'pending']);
    // Nor is that device kept from others for it.
    expect(yard.plan().reservations.flatMap(({ placement }) => placement.nodes)).not.toContainEqual(
      expect.objectContaining({ node: 'n2' }),
    );
  });
});
