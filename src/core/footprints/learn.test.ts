import { describe, expect, test } from 'vitest';
import { aJob, aNode, aPolicy, aYard, GIB, MINUTE, SECOND, type TestYard } from '../../../test/builders.ts';
import {
  devicesOf,
  endsHavingUsed,
  estimatedBytes,
  isSeenToUse,
  knownOf,
  runsOut,
} from '../../../test/gpu-yard.ts';

const train = aJob().sharing('python train.py');

function gpuYard(gpus = 2): TestYard {
  return aYard(aPolicy()).withNodes(aNode('n1').withCpus(64).withGpus(gpus));
}

/** Its kind has been seen to use so much once. */
function knowing(bytes: number, gpus = 2): TestYard {
  const yard = gpuYard(gpus);
  endsHavingUsed(yard, yard.run(train), bytes);
  return yard;
}

describe('a run that ends well', () => {
  test('teaches its peak under each of its keys', () => {
    const yard = knowing(4 * GIB);
    expect([...yard.state.footprints.values()].map(({ key }) => key.level)).toEqual([
      'command',
      'script',
      'name',
    ]);
    for (const { memory, load, durationMs } of yard.state.footprints.values()) {
      expect(memory).toMatchObject({ count: 1, max: 4 * GIB });
      expect(load).toMatchObject({ count: 1, max: 300 });
      expect(durationMs.max).toBe(MINUTE);
    }
  });

  test('counts by the device of each model that it used most', () => {
    const yard = gpuYard();
    const id = yard.run(train.wanting({ gpus: 2, gpuSharing: 'auto' }));
    expect(devicesOf(yard, id)).toHaveLength(2);
    endsHavingUsed(yard, id, 3 * GIB);
    expect(knownOf(yard, id)?.memory).toMatchObject({ count: 1, max: 3 * GIB });
  });

  test('of which nobody could tell the load teaches its memory alone', () => {
    const yard = gpuYard();
    const id = yard.run(train);
    endsHavingUsed(yard, id, GIB, { loadMillis: null });
    expect(knownOf(yard, id)).toMatchObject({ memory: { count: 1 }, load: { count: 0 } });
  });
});

describe('a run that fails', () => {
  test('early teaches nothing', () => {
    const yard = gpuYard();
    const id = yard.run(train);
    endsHavingUsed(yard, id, GIB, { code: 1, ranMs: 5 * SECOND });
    expect(knownOf(yard, id)).toBeNull();
  });

  test('early still says so when it used more than any before', () => {
    const yard = knowing(GIB);
    endsHavingUsed(yard, yard.run(train), 2 * GIB, { code: 1, ranMs: 5 * SECOND });
    expect(knownOf(yard, 1)?.memory).toMatchObject({ count: 2, max: 2 * GIB });
  });

  test('late counts', () => {
    const yard = gpuYard();
    const id = yard.run(train);
    endsHavingUsed(yard, id, GIB, { code: 1, ranMs: 2 * MINUTE });
    expect(knownOf(yard, id)?.memory.count).toBe(1);
  });
});

describe('what is seen while the first one runs', () => {
  const later = { ranMs: 10 * MINUTE };

  test('counts with the widest margin once it has run long enough', () => {
    const yard = gpuYard();
    const id = yard.run(train);
    isSeenToUse(yard, id, 4 * GIB, { ranMs: 9 * MINUTE });
    expect(knownOf(yard, id)).toBeNull();
    isSeenToUse(yard, id, 4 * GIB, later);
    expect(knownOf(yard, id)).toMatchObject({ isProvisional: true, memory: { max: 4 * GIB } });
    expect(devicesOf(yard, id)).toEqual([{ index: 0, millis: 150, loadMillis: 300 }]);
  });

  test('makes way for what it has shown at its end', () => {
    const yard = gpuYard();
    const id = yard.run(train);
    isSeenToUse(yard, id, 4 * GIB, later);
    endsHavingUsed(yard, id, 6 * GIB);
    expect(knownOf(yard, id)).toMatchObject({
      isProvisional: false,
      memory: { count: 1, mean: 6 * GIB, max: 6 * GIB },
    });
  });

  test('is not forgotten because another of its kind ends with less', () => {
    const yard = gpuYard();
    const first = yard.run(train);
    isSeenToUse(yard, first, 8 * GIB, later);
    const second = yard.run(train);
    endsHavingUsed(yard, second, GIB);
    expect(knownOf(yard, first)).toMatchObject({ isProvisional: false, memory: { max: 8 * GIB } });
    expect(estimatedBytes(yard, first)).toBeGreaterThanOrEqual(8 * GIB);
  });
});

describe('running out of what it was given', () => {
  test('raises what its kind is given by half', () => {
    const yard = knowing(4 * GIB);
    const id = yard.run(train);
    expect(devicesOf(yard, id)).toMatchObject([{ millis: 125 }]);
    runsOut(yard, id, 4 * GIB);
    expect(estimatedBytes(yard, id)).toBeCloseTo(7.5 * GIB, -3);
  });

  test('raises it no further than to the whole device', () => {
    const yard = knowing(25 * GIB);
    const id = yard.run(train);
    runsOut(yard, id, 39 * GIB);
    expect(knownOf(yard, id)?.atLeastBytes).toBe(40 * GIB);
    yard.schedule();
    expect(devicesOf(yard, id)).toMatchObject([{ millis: 1000 }]);
  });

  test('is not forgotten because a run that was no larger than the others ends well', () => {
    const yard = knowing(4 * GIB);
    const other = yard.run(train);
    runsOut(yard, yard.run(train), 4 * GIB);
    const raised = estimatedBytes(yard, other);
    endsHavingUsed(yard, other, 4 * GIB);
    expect(estimatedBytes(yard, other)).toBe(raised);
  });

  test('is not forgotten because of a run that was stopped half-way either', () => {
    const yard = knowing(4 * GIB);
    const other = yard.run(train);
    runsOut(yard, yard.run(train), 4 * GIB);
    const raised = estimatedBytes(yard, other);
    endsHavingUsed(yard, other, 4.1 * GIB, { code: 1, ranMs: 2 * MINUTE });
    expect(estimatedBytes(yard, other)).toBe(raised);
  });

  test('means nothing any more once a run has shown how much it takes', () => {
    const yard = knowing(4 * GIB);
    const id = yard.run(train);
    runsOut(yard, id, 4 * GIB);
    yard.schedule();
    endsHavingUsed(yard, id, 6 * GIB);
    expect(knownOf(yard, id)?.atLeastBytes).toBeUndefined();
    expect(estimatedBytes(yard, id)).toBeLessThan(9 * GIB);
  });

  test('means nothing either when the same job, alone, took no more than the others: a neighbour had its memory', () => {
    const yard = knowing(4 * GIB);
    const id = yard.run(train);
    runsOut(yard, id, 3 * GIB);
    yard.schedule();
    endsHavingUsed(yard, id, 4 * GIB);
    expect(knownOf(yard, id)?.atLeastBytes).toBeUndefined();
  });
});

describe('a run of which nothing was seen', () => {
  const blind = { samples: 1, ranMs: SECOND };

  test('lets the others of its kind run side by side, each alone on a device', () => {
    const yard = gpuYard(4);
    endsHavingUsed(yard, yard.run(train), 0, blind);
    const ids = [1, 2, 3].map(() => yard.submit(train));
    yard.schedule();
    expect(ids.map((id) => yard.job(id).phase)).toEqual(['active', 'active', 'active']);
    expect(ids.map((id) => devicesOf(yard, id)[0]?.index)).toEqual([0, 1, 2]);
    for (const id of ids) expect(devicesOf(yard, id)).toMatchObject([{ millis: 1000 }]);
  });

  test('is made up for by the first of which something is', () => {
    const yard = gpuYard(4);
    endsHavingUsed(yard, yard.run(train), 0, blind);
    const id = yard.run(train);
    endsHavingUsed(yard, id, 2 * GIB);
    expect(knownOf(yard, id)?.memory).toMatchObject({ count: 1, max: 2 * GIB });
    expect(devicesOf(yard, yard.run(train))).toMatchObject([{ millis: 63 }]);
  });

  test('says nothing when it failed: the next one is the first', () => {
    const yard = gpuYard(4);
    endsHavingUsed(yard, yard.run(train), 0, { ...blind, code: 1 });
    const [next, another] = [yard.submit(train), yard.submit(train)];
    yard.schedule();
    expect(devicesOf(yard, next)).toMatchObject([{ learningOn: 'a100' }]);
    expect(yard.job(another).phase).toBe('pending');
  });
});
