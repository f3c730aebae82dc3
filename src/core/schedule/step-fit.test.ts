import { describe, expect, test } from 'vitest';
import { aStep } from '../../../test/builders.ts';
import type { NodeShare, Placement } from '../../model/job.ts';
import type { GpuRequest } from '../../model/job-spec.ts';
import type { Step, StepRequest } from '../../model/step.ts';
import { placeStep } from './step-fit.ts';

function share(node: string, cpus: number, devices = 0): NodeShare {
  return {
    node,
    ranks: cpus,
    cpus,
    cpuIds: Array.from({ length: cpus }, (_, at) => at + 10),
    memoryBytes: 1000,
    devices: Array.from({ length: devices }, (_, index) => ({ index, millis: 1000 })),
  };
}

const place = (wish: Partial<StepRequest>, held: readonly NodeShare[], others: readonly Step[] = []) =>
  placeStep(aStep(wish), held, others, (_, index) => (index === 0 ? 'a100' : 'v100'));

const ranksOn = (placement: Placement | null) =>
  placement === null ? null : Object.fromEntries(placement.nodes.map(({ node, ranks }) => [node, ranks]));

function live(placement: Placement | null, overlap = false): Step {
  if (placement === null) throw new Error('it has no place');
  return {
    attempt: '1.1',
    n: 0,
    name: 'other',
    command: [],
    placement,
    overlap,
    cpusPerRank: 1,
    startedAt: 0,
    endedAt: null,
    stoppedBy: null,
    exit: null,
    usage: null,
  };
}

const gpus = (count: number, per: GpuRequest['per'] = 'job', kind: string | null = null) => ({
  gpus: { count, per, kind, shareMillis: 1000 },
});

describe('ranks over nodes, as Slurm lays them', () => {
  const two = [share('a', 2), share('b', 2)];
  const three = [share('a', 2), share('b', 2), share('c', 2)];
  const wide = [share('a', 4), share('b', 4)];
  test.each<[Partial<StepRequest>, readonly NodeShare[], Record<string, number> | null]>([
    [{ ranks: 1 }, two, { a: 1 }],
    [{ ranks: 2 }, two, { a: 1, b: 1 }],
    [{ ranks: 3 }, two, { a: 2, b: 1 }],
    [{ ranks: 4 }, two, { a: 2, b: 2 }],
    [{ ranks: 5 }, two, null],
    [{ ranks: 2, nodes: { min: 1, max: 1 } }, two, { a: 2 }],
    [{ ranks: 3, nodes: { min: 1, max: 1 } }, two, null],
    [{ ranks: 1, cpusPerRank: 3 }, two, null],
    [{ ranks: 3 }, three, { a: 1, b: 1, c: 1 }],
    [{ ranks: 5 }, three, { a: 2, b: 2, c: 1 }],
    [{ ranks: 4, nodes: { min: 2, max: 2 } }, three, { a: 2, b: 2 }],
    [{ ranks: 4, distribution: 'cyclic' }, three, { a: 2, b: 1, c: 1 }],
    [{ ranks: 5 }, wide, { a: 4, b: 1 }],
    [{ ranks: 5, distribution: 'cyclic' }, wide, { a: 3, b: 2 }],
    [{ ranks: 4, ranksPerNode: 2 }, wide, { a: 2, b: 2 }],
    [{ ranks: 1, firstNode: 1 }, two, { b: 1 }],
    [{ ranks: 2, firstNode: 1 }, three, { b: 1, c: 1 }],
    [{ ranks: 1, firstNode: 2 }, two, null],
    [{ ranks: 1, onlyNodes: ['c'] }, three, { c: 1 }],
    [{ ranks: 2, exceptNodes: ['a'] }, three, { b: 1, c: 1 }],
    [{ ranks: 4, nodes: { min: 1, max: 1 } }, [share('a', 1), share('b', 4)], { b: 4 }],
    [{ ranks: 7, overcommit: true, nodes: { min: 1, max: 1 } }, two, { a: 7 }],
  ])('%o', (wish, held, expected) => {
    expect(ranksOn(place(wish, held))).toEqual(expected);
  });
});

describe('what other steps use', () => {
  const held = [share('a', 2), share('b', 2)];
  test('is left to them, CPU by CPU', () => {
    const first = place({ ranks: 1 }, held);
    const second = place({ ranks: 1 }, held, [live(first)]);
    expect(first?.nodes).toMatchObject([{ node: 'a', cpus: 1, cpuIds: [10] }]);
    expect(second?.nodes).toMatchObject([{ node: 'a', cpus: 1, cpuIds: [11] }]);
    const third = place({ ranks: 1 }, held, [live(first), live(second)]);
    expect(third?.nodes).toMatchObject([{ node: 'b', cpuIds: [10] }]);
    expect(place({ ranks: 3 }, held, [live(first), live(second)])).toBeNull();
  });

  test('does not matter to a step that overlaps, and a step that overlaps matters to nobody', () => {
    const all = place({ ranks: 4 }, held);
    expect(place({ ranks: 1 }, held, [live(all)])).toBeNull();
    expect(ranksOn(place({ ranks: 2, overlap: true }, held, [live(all)]))).toEqual({ a: 1, b: 1 });
    expect(ranksOn(place({ ranks: 4 }, held, [live(all, true)]))).toEqual({ a: 2, b: 2 });
  });

  test('keeps whole nodes from a step that wants them', () => {
    const one = place({ ranks: 1 }, held);
    const whole = place({ ranks: 1, wholeNodes: true }, held, [live(one)]);
    expect(whole?.nodes).toMatchObject([{ node: 'b', ranks: 1, cpus: 2, cpuIds: [10, 11] }]);
    expect(place({ ranks: 2, wholeNodes: true, nodes: { min: 2, max: 2 } }, held, [live(one)])).toBeNull();
  });
});

describe('devices', () => {
  const held = [share('a', 4, 2), share('b', 4, 2)];
  const devicesOf = (placement: Placement | null) =>
    placement?.nodes.map(({ devices }) => devices.map(({ index }) => index)) ?? null;

  test('a step that says nothing gets those of its nodes, and waits for them', () => {
    const all = place({ ranks: 2, gpus: null }, held);
    expect(devicesOf(all)).toEqual([
      [0, 1],
      [0, 1],
    ]);
    const one = place({ ranks: 1, ...gpus(1) }, held);
    expect(place({ ranks: 2, gpus: null, nodes: { min: 2, max: 2 } }, held, [live(one)])).toBeNull();
    expect(devicesOf(place({ ranks: 1, gpus: null, overlap: true }, held, [live(one)]))).toEqual([[0, 1]]);
  });

  test('are distinct between steps', () => {
    const one = place({ ranks: 1, ...gpus(1) }, held);
    const two = place({ ranks: 1, ...gpus(1) }, held, [live(one)]);
    expect([devicesOf(one), devicesOf(two)]).toEqual([[[0]], [[1]]]);
    expect(devicesOf(place({ ranks: 1, ...gpus(0) }, held, [live(one), live(two)]))).toEqual([[]]);
  });

  test.each<[GpuRequest['per'], number, number, number[][] | null]>([
    ['job', 2, 2, [[0], [0]]],
    ['job', 3, 2, [[0, 1], [0]]],
    ['job', 5, 2, null],
    [
      'node',
      2,
      2,
      [
        [0, 1],
        [0, 1],
      ],
    ],
    ['node', 3, 2, null],
    ['rank', 1, 3, [[0, 1], [0]]],
    ['rank', 1, 5, null],
  ])('per %s: %i for %i ranks', (per, count, ranks, expected) => {
    expect(devicesOf(place({ ranks, ...gpus(count, per) }, held))).toEqual(expected);
  });

  test('of one kind', () => {
    expect(devicesOf(place({ ranks: 1, ...gpus(1, 'node', 'v100') }, held))).toEqual([[1]]);
    expect(place({ ranks: 1, ...gpus(2, 'node', 'v100') }, held)).toBeNull();
  });
});
