import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RefusalError } from '../model/refusal.ts';
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

test.each([
  ['', 'it is empty'],
  ['\n', 'it is empty'],
  ['\0\u0001{', 'it is not JSON'],
  ['{"configFile": "/a', 'it is not JSON'],
  ['[]', 'it holds no JSON object'],
  ['null', 'it holds no JSON object'],
  ['7', 'it holds no JSON object'],
  ['{"configFile": 7}', '"configFile" is no absolute path'],
  ['{"configFile": "a.toml"}', '"configFile" is no absolute path'],
  ['{"configFile": "/a\\u0000b"}', '"configFile" is no absolute path'],
  ['{"simulateGpus": ["4"]}', '"simulateGpus" is no text such as "4x16G"'],
  ['{"simulateGpus": "four"}', 'four'],
])('remembered options that are %j are refused in a sentence', (text, why) => {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-options-'));
  try {
    writeFileSync(join(directory, 'start-options.json'), text);
    expect(() => rememberedOptions(directory)).toThrow(RefusalError);
    expect(() => rememberedOptions(directory)).toThrow(`${join(directory, 'start-options.json')}: `);
    expect(() => rememberedOptions(directory)).toThrow(why);
    rememberOptions(directory, NO_OPTIONS);
    expect(rememberedOptions(directory)).toEqual(NO_OPTIONS);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a remembered option that this version does not know changes nothing', () => {
  const directory = mkdtempSync(join(tmpdir(), 'trainyard-options-'));
  writeFileSync(join(directory, 'start-options.json'), '{"simulateGpus": "2", "later": true}');
  expect(rememberedOptions(directory)).toEqual({ configFile: null, simulateGpus: '2' });
  rmSync(directory, { recursive: true });
});
