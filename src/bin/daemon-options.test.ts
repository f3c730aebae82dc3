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

test.each(['', 'x', 'four', '4x', '4xlots', '9999x1G', '-1x16G'])('%j is refused', (text) => {
  expect(() => simulatedDevices(text)).toThrow(/4x16G/);
});
