/** Finding what a machine has, and seeing it as the nodes that were made of it. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Device } from '../../src/model/node.ts';
import type { Hardware, HardwareReading } from '../../src/telemetry/device-source.ts';
import { findHardware, openDeviceSource } from '../../src/telemetry/open-devices.ts';
import { compileStub, hasCompiler } from './nvml-stub.ts';

const GIB = 1024 ** 3;

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'devices-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

describe('finding', () => {
  const without = () => ({
    nvml: { library: join(directory, 'missing.so') },
    drivers: join(directory, 'gpus'),
  });

  function driverShows(...models: readonly string[]): void {
    models.forEach((model, i) => {
      mkdirSync(join(directory, 'gpus', `0000:0${i}:00.0`), { recursive: true });
      writeFileSync(join(directory, 'gpus', `0000:0${i}:00.0`, 'information'), `Model: ${model}\n`);
    });
  }

  function smiPrints(text: string): void {
    writeFileSync(join(directory, 'nvidia-smi'), `#!/bin/sh\nprintf '%s' '${text}'\n`, { mode: 0o755 });
  }

  test('nothing, where there is nothing', async () => {
    smiPrints('0, GPU-a, NVIDIA T4, 16384, 0, 0, 33, 40\n');
    const hardware = await findHardware({ PATH: directory }, without());
    expect([hardware.name, hardware.devices]).toEqual(['none', []]);
  });

  test('what nvidia-smi lists, where the library is missing', async () => {
    driverShows('NVIDIA T4', 'NVIDIA T4');
    smiPrints('0, GPU-a, NVIDIA T4, 16384, 0, 0, 33, 40\n1, GPU-b, NVIDIA T4, 16384, 0, 0, 33, 40\n');
    const environment = { PATH: `${directory}:${process.env.PATH}`, CUDA_VISIBLE_DEVICES: 'GPU-b' };
    const hardware = await findHardware(environment, without());
    expect(hardware.name).toBe('nvidia-smi');
    expect(hardware.devices).toEqual([
      { index: 1, kind: 't4', memoryBytes: 16 * GIB, simulated: false, uuid: 'GPU-b', visibleAs: 'GPU-b' },
    ]);
  });

  test('what the kernel driver shows, where nobody else tells', async () => {
    driverShows('NVIDIA T4', 'NVIDIA L4');
    const hardware = await findHardware({ PATH: directory, CUDA_VISIBLE_DEVICES: '1' }, without());
    expect(hardware.name).toBe('kernel driver');
    expect(hardware.devices).toEqual([{ index: 1, kind: 'l4', memoryBytes: 0, simulated: false }]);
    expect(await hardware.read(new Set([1]))).toEqual([]);
  });

  test.skipIf(!hasCompiler)('what the library tells, first of all (needs cc)', async () => {
    driverShows('NVIDIA T4');
    const stub = compileStub(directory, 'first');
    stub.says(
      'count 1',
      '0.uuid GPU-a',
      '0.mig 1',
      '0.parts 2',
      ...[0, 1].flatMap((part) => [
        `0/${part}.name NVIDIA A30 MIG 1g.6gb`,
        `0/${part}.uuid MIG-${part}`,
        `0/${part}.memory ${6 * GIB} 0 ${GIB}`,
        `0/${part}.gi ${part + 3}`,
        `0/${part}.ci 0`,
      ]),
    );
    const environment = { CUDA_VISIBLE_DEVICES: 'MIG-GPU-a/4/0' };
    const hardware = await findHardware(environment, { ...without(), nvml: { library: stub.library } });
    expect(hardware.name).toBe('NVML');
    expect(hardware.devices).toEqual([
      {
        index: 1,
        kind: 'a30-mig-1g.6gb',
        memoryBytes: 6 * GIB,
        simulated: false,
        uuid: 'MIG-1',
        visibleAs: 'MIG-1',
      },
    ]);
    expect(await hardware.read(new Set([1]))).toMatchObject([{ index: 1, usedBytes: GIB }]);
    hardware.close();
  });
});

describe('seeing', () => {
  const device = (index: number, simulated: boolean): Device => ({
    index,
    kind: 'toy',
    memoryBytes: GIB,
    simulated,
  });
  const reading = (index: number): HardwareReading => ({
    index,
    usedBytes: index,
    totalBytes: GIB,
    loadMillis: null,
    temperatureC: null,
    powerW: null,
    processes: null,
  });

  function fourDevices() {
    const seen: number[][] = [];
    let isClosed = false;
    const hardware: Hardware = {
      name: 'NVML',
      devices: [0, 1, 2, 3].map((index) => device(index, false)),
      read(indices) {
        seen.push([...indices]);
        return Promise.resolve([0, 1, 2, 3].map(reading));
      },
      close() {
        isClosed = true;
      },
    };
    return { hardware, seen, isClosed: () => isClosed };
  }

  test('each device of the machine is on the node that has it', async () => {
    const { hardware, seen, isClosed } = fourDevices();
    const source = openDeviceSource({
      nodes: [
        { name: 'a', devices: [device(0, false), device(1, false)] },
        { name: 'b', devices: [device(3, false)] },
      ],
      hardware,
      simulatedDirectory: directory,
    });
    expect(source.name).toBe('NVML');
    expect(source.devices.map(({ index }) => index)).toEqual([0, 1, 3]);
    expect(await source.read()).toEqual([
      { node: 'a', ...reading(0) },
      { node: 'a', ...reading(1) },
      { node: 'b', ...reading(3) },
    ]);
    expect(seen).toEqual([[0, 1, 3]]);
    source.close();
    expect(isClosed()).toBe(true);
  });

  test('simulated devices are seen beside them, or alone', async () => {
    const nodes = [
      { name: 'a', devices: [device(0, false)] },
      { name: 'b', devices: [device(0, true)] },
    ];
    const { hardware } = fourDevices();
    const both = openDeviceSource({ nodes, hardware, simulatedDirectory: directory });
    expect(both.name).toBe('NVML and simulated');
    expect((await both.read()).map(({ node, index }) => [node, index])).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
    const alone = openDeviceSource({ nodes, hardware: null, simulatedDirectory: directory });
    expect(alone.name).toBe('simulated');
    expect((await alone.read()).map(({ node }) => node)).toEqual(['b']);
  });

  test('a yard without devices sees none', async () => {
    const { hardware, seen } = fourDevices();
    const source = openDeviceSource({
      nodes: [{ name: 'a', devices: [] }],
      hardware,
      simulatedDirectory: directory,
    });
    expect([source.name, source.devices, await source.read(), seen]).toEqual(['none', [], [], []]);
  });
});
