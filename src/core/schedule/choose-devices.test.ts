import { describe, expect, test } from 'vitest';
import { aJob, aNode, GIB, type NodeBuilder } from '../../../test/builders.ts';
import type { DeviceShare } from '../../model/job.ts';
import type { Device, Node } from '../../model/node.ts';
import { PLAIN_GPU_POLICY } from '../../model/plain.ts';
import { allFree, type Free, subtract } from '../ledger.ts';
import { chooseDevices, devicesFree } from './choose-devices.ts';
import type { DeviceWish, DeviceWishes, SizedRequest } from './device-wishes.ts';

const { maxLoadMillis, foreignToleranceMillis } = PLAIN_GPU_POLICY;

/** Wants this of a device, or what the function says for each. */
function wanting(
  wish: DeviceWish | ((device: Device) => DeviceWish | null),
  changes: Partial<DeviceWishes> = {},
): SizedRequest {
  const { resources } = aJob().wanting({ gpus: 1, gpuSharing: 'auto' }).spec;
  const of = typeof wish === 'function' ? wish : () => wish;
  return {
    ...resources,
    wishes: { of, areWhole: false, arrange: 'pack', maxLoadMillis, foreignToleranceMillis, ...changes },
  };
}

const part = (millis: number, loadMillis: number | null = 100): DeviceWish => ({
  millis,
  loadMillis,
  isLearning: false,
});
const WHOLE = part(1000, 1000);

/** The node with these shares of its devices taken. */
function takenOn(builder: NodeBuilder, ...taken: DeviceShare[]): { node: Node; free: Free } {
  const { node } = builder;
  const free = allFree(node);
  const share = { node: node.name, ranks: 1, cpus: 0, cpuIds: [], memoryBytes: 0, devices: taken };
  subtract(free, node, share);
  return { node, free };
}

function chosen(request: SizedRequest, { node, free }: { node: Node; free: Free }, count = 1) {
  return chooseDevices(request, node, free, count)?.map(({ index }) => index) ?? null;
}

const three = aNode('n1').withGpus(3);

describe('packing', () => {
  test('goes where others are already, the least busy of them first', () => {
    const busy = takenOn(
      three,
      { index: 1, millis: 100, loadMillis: 600 },
      { index: 2, millis: 100, loadMillis: 200 },
    );
    expect(chosen(wanting(part(100)), busy)).toEqual([2]);
  });

  test('of equally busy ones takes the fullest, so that large gaps stay whole', () => {
    const taken = takenOn(
      three,
      { index: 0, millis: 100, loadMillis: 200 },
      { index: 1, millis: 700, loadMillis: 200 },
    );
    expect(chosen(wanting(part(200)), taken)).toEqual([1]);
    expect(chosen(wanting(part(400)), taken)).toEqual([0]);
  });

  test('opens a device of its own when no other takes it', () => {
    expect(chosen(wanting(part(500)), takenOn(three, { index: 0, millis: 600 }))).toEqual([1]);
  });
});

describe('spreading', () => {
  const spread = { arrange: 'spread' } as const;

  test('goes where nobody is, and then where it is quietest', () => {
    const taken = takenOn(three, { index: 0, millis: 100, loadMillis: 10 });
    expect(chosen(wanting(part(100), spread), taken)).toEqual([1]);
    const all = takenOn(
      three,
      { index: 0, millis: 100, loadMillis: 300 },
      { index: 1, millis: 500, loadMillis: 200 },
      { index: 2, millis: 300, loadMillis: 200 },
    );
    expect(chosen(wanting(part(100), spread), all)).toEqual([2]);
  });
});

describe('a part that was asked for', () => {
  test('goes to the fullest device that takes it, however busy', () => {
    const declared = wanting(part(250, null), { arrange: 'declared' });
    const taken = takenOn(
      three,
      { index: 0, millis: 500, loadMillis: 100 },
      { index: 1, millis: 700, loadMillis: 1000 },
    );
    expect(chosen(declared, taken)).toEqual([1]);
    expect(chooseDevices(declared, taken.node, taken.free, 1)).toEqual([{ index: 1, millis: 250 }]);
  });
});

describe('load', () => {
  test('of all on a device stays within what is allowed', () => {
    const one = takenOn(aNode('n1').withGpus(1), { index: 0, millis: 100, loadMillis: 600 });
    expect(chosen(wanting(part(100, 400)), one)).toEqual([0]);
    expect(chosen(wanting(part(100, 401)), one)).toBeNull();
    expect(chosen(wanting(part(100, 401), { maxLoadMillis: 1500 }), one)).toEqual([0]);
  });

  test('of one alone may be what it likes', () => {
    const empty = takenOn(aNode('n1').withGpus(1));
    expect(chosen(wanting(part(100, 900), { maxLoadMillis: 500 }), empty)).toEqual([0]);
  });

  test('that nobody knows counts like the memory', () => {
    const one = takenOn(aNode('n1').withGpus(1), { index: 0, millis: 500 });
    expect(chosen(wanting(part(100, 501)), one)).toBeNull();
  });
});

describe('strangers', () => {
  const used = (bytes: number): { node: Node; free: Free } => {
    const { node } = aNode('n1').withGpus(1);
    const devices = node.devices.map((device) => ({ ...device, foreignBytes: bytes }));
    return { node: { ...node, devices }, free: allFree(node) };
  };

  test('take of what is free for parts, to the last thousandth', () => {
    expect(chosen(wanting(part(500)), used(20 * GIB))).toEqual([0]);
    expect(chosen(wanting(part(501)), used(20 * GIB))).toBeNull();
    expect(chosen(wanting(part(500)), used(20 * GIB + 1))).toBeNull();
  });

  test('are borne beside whole devices up to the tolerance', () => {
    expect(chosen(wanting(WHOLE), used(4 * GIB))).toEqual([0]);
    expect(chosen(wanting(WHOLE), used(4 * GIB + 1))).toBeNull();
  });
});

describe('devices of different sizes', () => {
  const slices = aNode('n1')
    .withGpus(2, 'slice-10g', 10 * GIB)
    .withGpus(1, 'slice-20g', 20 * GIB);
  const eightGib = ({ memoryBytes }: Device) => part(Math.ceil((8 * GIB * 1000) / memoryBytes));

  test('take the part of each that the job needs there', () => {
    const { node, free } = takenOn(slices, { index: 2, millis: 100, loadMillis: 10 });
    expect(chooseDevices(wanting(eightGib), node, free, 1)).toMatchObject([{ index: 2, millis: 400 }]);
    expect(chooseDevices(wanting(eightGib), node, free, 3)).toMatchObject([
      { index: 0, millis: 800 },
      { index: 1, millis: 800 },
      { index: 2, millis: 400 },
    ]);
  });

  test('of a model on which another of the kind is the first are left alone', () => {
    const taken = takenOn(slices);
    const request = wanting((device) => (device.kind === 'slice-10g' ? null : part(100)));
    expect(devicesFree(request, taken.node, taken.free)).toBe(1);
    expect(chosen(request, taken)).toEqual([2]);
  });

  test('where the kind is known go before those where it would be the first', () => {
    const learning = { ...WHOLE, isLearning: true };
    const request = wanting((device) => (device.kind === 'slice-10g' ? learning : part(900)));
    expect(chosen(request, takenOn(slices))).toEqual([2]);
    const { node, free } = takenOn(slices, { index: 2, millis: 500 });
    expect(chooseDevices(request, node, free, 1)).toEqual([
      { index: 0, millis: 1000, loadMillis: 1000, learningOn: 'slice-10g' },
    ]);
  });
});

test('only those that were named, by the names that programs see', () => {
  const two = aNode('n1').withGpus(3);
  const named = takenOn(two);
  const only = (...onlyDevices: string[]): SizedRequest => {
    const request = wanting(part(100));
    return { ...request, gpus: request.gpus && { ...request.gpus, onlyDevices } };
  };
  expect(chosen(only('2'), named)).toEqual([2]);
  expect(chosen(only('MIG-1'), named)).toBeNull();
  const devices = named.node.devices.map((device) => ({ ...device, visibleAs: `MIG-${device.index}` }));
  expect(chosen(only('MIG-1'), { ...named, node: { ...named.node, devices } })).toEqual([1]);
});

test('somebody who grew beyond the device leaves nothing to anybody', () => {
  const over = takenOn(
    aNode('n1').withGpus(1),
    { index: 0, millis: 700 },
    { index: 0, millis: 600, loadMillis: 0 },
  );
  expect(chosen(wanting(part(1)), over)).toBeNull();
});
