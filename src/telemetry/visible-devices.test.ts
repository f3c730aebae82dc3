import { describe, expect, test } from 'vitest';
import { seededRandom } from '../sim/random.ts';
import type { HardwareDevice } from './device-source.ts';
import { visibleDevices } from './visible-devices.ts';

const whole = (index: number, uuid: string): HardwareDevice => ({
  index,
  kind: 'toy',
  memoryBytes: 1,
  simulated: false,
  uuid,
});
const FOUR = [
  whole(0, 'GPU-8932f937-0000'),
  whole(1, 'GPU-8932f937-1111'),
  whole(2, 'GPU-22222222-2222'),
  whole(3, 'GPU-33333333-3333'),
];
const PARTS: readonly HardwareDevice[] = [
  { ...whole(0, 'MIG-aaaa-1'), visibleAs: 'MIG-aaaa-1', aliases: ['MIG-GPU-8932f937/1/0'] },
  { ...whole(1, 'MIG-bbbb-2'), visibleAs: 'MIG-bbbb-2', aliases: ['MIG-GPU-8932f937/11/0'] },
  { ...whole(2, 'GPU-22222222'), visibleAs: 'GPU-22222222' },
];

const indices = (variable: string | undefined, devices: readonly HardwareDevice[] = FOUR) =>
  visibleDevices(devices, variable).map(({ index }) => index);

test('without the variable all are visible, as they are', () => {
  expect(visibleDevices(FOUR, undefined)).toBe(FOUR);
});

describe('numbers', () => {
  test.each([
    ['0', [0]],
    ['2,0', [0, 2]],
    [' 1 , 3 ', [1, 3]],
    ['3,1,2,0', [0, 1, 2, 3]],
    ['1gpu,2x', [1, 2]],
    ['+1', [1]],
    // The list ends at the first entry that names no device.
    ['0,9,1', [0]],
    ['0,-1,1', [0]],
    ['0,,1', [0]],
    ['0,one,1', [0]],
    ['0,GPU-22222222,1', [0]],
    ['', []],
    [' ', []],
    ['-1', []],
    ['NoDevFiles', []],
    ['none', []],
    ['all', []],
    ['void', []],
    [',0', []],
    ['1,1', []],
    ['0,1,01', []],
    ['0,7,0', [0]],
  ])('%j', (variable, expected) => {
    expect(indices(variable)).toEqual(expected);
  });

  test('jobs are told numbers', () => {
    expect(visibleDevices(FOUR, '2')).toEqual([FOUR[2]]);
  });
});

describe('names', () => {
  test.each([
    ['GPU-33333333-3333', [3]],
    ['GPU-3', [3]],
    ['GPU-8932f937-1,GPU-22', [1, 2]],
    ['GPU-8932f937', []],
    ['GPU-3,GPU-8932,GPU-2', [3]],
    ['GPU-3,2', [3]],
    ['GPU-3,GPU-33', []],
    ['GPU-', []],
    ['gpu-33333333-3333', []],
  ])('%j', (variable, expected) => {
    expect(indices(variable)).toEqual(expected);
  });

  test('jobs are told whole names', () => {
    expect(visibleDevices(FOUR, 'GPU-3,GPU-2').map(({ visibleAs }) => visibleAs)).toEqual([
      'GPU-22222222-2222',
      'GPU-33333333-3333',
    ]);
  });

  test('a name that is the beginning of another is still a name', () => {
    expect(indices('GPU-a', [whole(0, 'GPU-ab'), whole(1, 'GPU-a')])).toEqual([1]);
  });

  test('devices without names are found by number only', () => {
    const nameless: HardwareDevice = { index: 0, kind: 'toy', memoryBytes: 0, simulated: false };
    expect(indices('GPU-', [nameless])).toEqual([]);
    expect(indices('0', [nameless])).toEqual([0]);
  });
});

describe('parts of devices', () => {
  test.each([
    ['MIG-bbbb-2', [1]],
    ['MIG-b,MIG-a', [0, 1]],
    ['MIG-GPU-8932f937/1/0', [0]],
    ['MIG-GPU-8932f937/11/0,MIG-GPU-8932f937/1/0', [0, 1]],
    ['MIG-aaaa-1,MIG-GPU-8932f937/1/0', []],
    ['MIG-GPU-8932f937/12/0', []],
    ['MIG-GPU-8932f937', []],
    ['MIG-a,GPU-2', [0]],
    ['GPU-2,MIG-a', [2]],
    ['0,2', [0, 2]],
  ])('%j', (variable, expected) => {
    expect(indices(variable, PARTS)).toEqual(expected);
  });

  test('jobs are told the name that the driver has now', () => {
    expect(visibleDevices(PARTS, 'MIG-GPU-8932f937/11/0')).toEqual([PARTS[1]]);
    expect(visibleDevices(PARTS, '1')).toEqual([PARTS[1]]);
  });
});

test('whatever the variable says, only devices that there are become visible, each once and in order', () => {
  const random = seededRandom(5);
  const words = ['0', '1', '2', '3', '4', '-1', '', 'GPU-2', 'GPU-3', 'GPU-8932f937-0', 'MIG-a', 'x', ' 1'];
  for (let run = 0; run < 2000; run++) {
    const entries = Array.from({ length: random.between(1, 5) }, () => random.pick(words));
    const seen = indices(entries.join(','));
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b));
    expect(seen.every((index) => FOUR.some((device) => device.index === index))).toBe(true);
    // What comes later never makes more of what came before invisible, unless it names it again.
    const before = indices(entries.slice(0, -1).join(','));
    if (entries.length > 1 && seen.length > 0) expect(seen).toEqual(expect.arrayContaining(before));
  }
});
