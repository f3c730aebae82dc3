import { expect, test } from 'vitest';
import { byVisibleNames, type DevicesTold, deviceVariables } from './device-variables.ts';
import type { DeviceShare } from './job.ts';
import type { Device } from './node.ts';

const device = (index: number, changes: Partial<Device> = {}): Device => ({
  index,
  kind: 'v100',
  memoryBytes: 2 ** 34,
  simulated: false,
  ...changes,
});
const boxOf = (...devices: readonly Device[]) => ({ name: 'box', devices });
const share = (index: number, changes: Partial<DeviceShare> = {}): DeviceShare => ({
  index,
  millis: 1000,
  ...changes,
});

const told = (changes: Partial<DevicesTold> = {}, has: readonly string[] = []) =>
  Object.fromEntries(
    deviceVariables({
      node: boxOf(device(0), device(1)),
      shares: [share(1)],
      request: {},
      yardDirectory: '/yard',
      submitterHas: (name) => has.includes(name),
      ...changes,
    }),
  );

test('whole devices are named, in the order of the bus, and nothing more is said', () => {
  expect(told()).toEqual({ CUDA_VISIBLE_DEVICES: '1', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' });
  expect(told({}, ['CUDA_DEVICE_ORDER'])).toEqual({ CUDA_VISIBLE_DEVICES: '1' });
});

test('who has none is shown none, and where there are none nothing is said', () => {
  expect(told({ shares: [], request: null })).toEqual({ CUDA_VISIBLE_DEVICES: '' });
  expect(told({ node: boxOf(), shares: [] })).toEqual({});
});

test('devices with names of their own are told by them', () => {
  const node = boxOf(device(0, { visibleAs: 'MIG-a' }), device(1, { visibleAs: 'MIG-b' }));
  expect(told({ node, shares: [share(0), share(1)] }).CUDA_VISIBLE_DEVICES).toBe('MIG-a,MIG-b');
  expect(byVisibleNames('CUDA_VISIBLE_DEVICES', '1,0', node)).toBe('MIG-b,MIG-a');
  expect(byVisibleNames('CUDA_VISIBLE_DEVICES', '', node)).toBe('');
  expect(byVisibleNames('CUDA_VISIBLE_DEVICES', 'NoDevFiles', node)).toBe('NoDevFiles');
  expect(byVisibleNames('SLURM_JOB_GPUS', '1,0', node)).toBe('1,0');
});

test.each<Partial<DevicesTold>>([
  { shares: [share(1, { millis: 400 })] },
  { shares: [share(0), share(1, { millis: 999 })] },
  { shares: [share(1, { learningOn: 'v100' })] },
  { request: { sharing: 'auto' } },
])('who may have neighbours takes memory as it needs it: %j', (changes) => {
  const growing = { TF_FORCE_GPU_ALLOW_GROWTH: 'true', XLA_PYTHON_CLIENT_PREALLOCATE: 'false' };
  expect(told(changes)).toMatchObject(growing);
  expect(told(changes, Object.keys(growing))).not.toHaveProperty('XLA_PYTHON_CLIENT_PREALLOCATE');
  expect(told(changes, Object.keys(growing))).not.toHaveProperty('TF_FORCE_GPU_ALLOW_GROWTH');
  expect(told(changes)).not.toHaveProperty('TRAINYARD_GPU_MEMORY_FRACTION');
});

test.each([
  [399, '0.39'],
  [990, '0.99'],
  [999, '0.99'],
  [3, '0.01'],
])('a limit of %i thousandths is told as %s', (millis, fraction) => {
  const changes = { shares: [share(0), share(1, { millis })], request: { isLimited: true } };
  expect(told(changes)).toMatchObject({
    XLA_PYTHON_CLIENT_MEM_FRACTION: fraction,
    TRAINYARD_GPU_MEMORY_FRACTION: fraction,
  });
  const own = told(changes, ['XLA_PYTHON_CLIENT_MEM_FRACTION']);
  expect(own).not.toHaveProperty('XLA_PYTHON_CLIENT_MEM_FRACTION');
  expect(own.TRAINYARD_GPU_MEMORY_FRACTION).toBe(fraction);
});

test('a whole device is not limited', () => {
  expect(told({ request: { isLimited: true } })).not.toHaveProperty('TRAINYARD_GPU_MEMORY_FRACTION');
});

test('simulated devices are found in the directory of the yard', () => {
  const node = boxOf(device(0, { simulated: true }));
  expect(told({ node, shares: [share(0)] })).toEqual({
    CUDA_VISIBLE_DEVICES: '0',
    TRAINYARD_SIMULATED_GPUS: '/yard/simulated-gpus/box',
  });
});
