import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  daemonOptions,
  formatDaemonOptions,
  NO_OPTIONS,
  parseDaemonOptions,
  rememberedOptions,
  rememberOptions,
  simulatedDevices,
} from './daemon-options.ts';

test('what is passed to a daemon is what it reads', () => {
  const options = daemonOptions('--odd name.toml', '4x16G', '/home/ada');
  expect(options.configFile).toBe('/home/ada/--odd name.toml');
  expect(parseDaemonOptions(formatDaemonOptions(options))).toEqual(options);
  expect(parseDaemonOptions(formatDaemonOptions(NO_OPTIONS))).toEqual(NO_OPTIONS);
});

test('they are remembered', () => {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-options-'));
  expect(rememberedOptions(directory)).toEqual(NO_OPTIONS);
  const options = daemonOptions(null, '2', '/');
  rememberOptions(directory, options);
  expect(rememberedOptions(directory)).toEqual(options);
  rmSync(directory, { recursive: true });
});

test('simulated devices are as many and as large as was said', () => {
  const devices = simulatedDevices('2x1.5G');
  expect(devices.map(({ index }) => index)).toEqual([0, 1]);
  expect(devices[0]).toMatchObject({ memoryBytes: 1.5 * 1024 ** 3, simulated: true });
  expect(simulatedDevices('1')[0]?.memoryBytes).toBe(16 * 1024 ** 3);
});

test('simulated GPUs may be of different models', () => {
  const kinds = (text: string) =>
    simulatedDevices(text).map(
      ({ index, kind, memoryBytes }) => `${index} ${kind} ${memoryBytes / 1024 ** 3}`,
    );
  expect(kinds('2x16G:V100')).toEqual(['0 v100 16', '1 v100 16']);
  expect(kinds('2x16G,1x24G:a100-pcie')).toEqual(['0 simulated 16', '1 simulated 16', '2 a100-pcie 24']);
  expect(kinds('1:t4')).toEqual(['0 t4 16']);
});

test.each([
  '4x16G:',
  '2x16G,',
  '2x16G:a b',
  ':a100',
  '1000x1G,1000x1G',
  '',
  'x',
  'four',
  '4x',
  '4xlots',
  '9999x1G',
  '-1x16G',
])('%j is refused', (text) => {
  expect(() => simulatedDevices(text)).toThrow(/4x16G/);
});
