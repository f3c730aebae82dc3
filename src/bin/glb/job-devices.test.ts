import { expect, test } from 'vitest';
import { devicesOfJob, likeThose } from './job-devices.ts';

test('real devices are told to the daemon as the job was told of them', () => {
  const environment = { CUDA_VISIBLE_DEVICES: 'GPU-1,GPU-2', CUDA_DEVICE_ORDER: 'PCI_BUS_ID', HOME: '/' };
  expect(devicesOfJob(environment)).toEqual({
    simulated: null,
    variables: { CUDA_VISIBLE_DEVICES: 'GPU-1,GPU-2', CUDA_DEVICE_ORDER: 'PCI_BUS_ID' },
  });
});

test.each([
  ['0 100 simulated\n1 100 simulated\n2 100 simulated\n', ['0', '2'], '2x100'],
  ['0 300 a\n1 200 b\n', ['0', '1'], '2x200'],
  ['0 300 a\n', ['7'], null],
  ['', ['0'], null],
])('pretended ones are pretended again: %j', (text, visible, simulated) => {
  expect(likeThose(text, visible)).toBe(simulated);
});

test('a directory that has gone has no devices', () => {
  const environment = { TRAINYARD_SIMULATED_GPUS: '/nowhere', CUDA_VISIBLE_DEVICES: '0' };
  expect(devicesOfJob(environment)).toEqual({ simulated: null, variables: {} });
});
