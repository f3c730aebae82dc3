/** The driver's library as we call it, against one that says what we want it to. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NvmlOptions, openNvml } from '../../src/telemetry/nvml/hardware.ts';
import { compiled } from '../compiled.ts';
import { compileStub, hasCompiler, type Stub } from './nvml-stub.ts';

const GIB = 1024 ** 3;
const TWO = new Set([0, 1]);
const ERROR_NO_PERMISSION = 4;
const ERROR_DRIVER_NOT_LOADED = 9;
const ERROR_GPU_IS_LOST = 15;

const A100 = [
  '0.name NVIDIA A100-SXM4-40GB',
  '0.uuid GPU-aaaa',
  `0.memory ${40 * GIB} ${GIB} ${6 * GIB}`,
  '0.load 83',
  '0.temperature 61',
  '0.power 251400',
];
const V100 = [
  '1.name Tesla V100-SXM2-16GB',
  '1.uuid GPU-bbbb',
  `1.memory ${16 * GIB} 0 0`,
  '1.load 0',
  '1.temperature 33',
  '1.power 40000',
];
const BOTH = ['count 2', ...A100, ...V100];

async function opened(stub: Stub, options: NvmlOptions = {}) {
  const hardware = await openNvml({ library: stub.library, ...options });
  if (hardware === null) throw new Error('the stub was not opened');
  return hardware;
}

describe.skipIf(!hasCompiler)('NVML (needs cc)', () => {
  let directory = '';
  let stub: Stub;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'nvml-'));
    stub = compileStub(directory, 'new');
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test('devices have the numbers of the library, names and memory without what the driver keeps', async () => {
    stub.says(...BOTH);
    const { name, devices, close } = await opened(stub);
    expect(name).toBe('NVML');
    expect(devices).toEqual([
      { index: 0, kind: 'a100-sxm4-40gb', memoryBytes: 39 * GIB, simulated: false, uuid: 'GPU-aaaa' },
      { index: 1, kind: 'v100-sxm2-16gb', memoryBytes: 16 * GIB, simulated: false, uuid: 'GPU-bbbb' },
    ]);
    close();
  });

  test('a look tells memory, load, temperature, power and processes', async () => {
    const now = Date.now() * 1000;
    stub.says(
      ...BOTH,
      `0.compute 11:${4 * GIB} 12:${GIB}`,
      `0.graphics 12:${GIB} 13:1000`,
      `0.busy 11:20:${now - 900_000} 11:70:${now - 100_000} 12:5:${now - 60_000_000}`,
    );
    const hardware = await opened(stub);
    expect(await hardware.read(TWO)).toEqual([
      {
        index: 0,
        totalBytes: 39 * GIB,
        usedBytes: 6 * GIB,
        loadMillis: 830,
        temperatureC: 61,
        powerW: 251,
        processes: [
          { pid: 11, memoryBytes: 4 * GIB, loadMillis: 700 },
          { pid: 12, memoryBytes: GIB, loadMillis: 0 },
          { pid: 13, memoryBytes: 1000, loadMillis: 0 },
        ],
      },
      {
        index: 1,
        totalBytes: 16 * GIB,
        usedBytes: 0,
        loadMillis: 0,
        temperatureC: 33,
        powerW: 40,
        processes: [],
      },
    ]);
    expect((await hardware.read(new Set([1]))).map(({ index }) => index)).toEqual([1]);
    hardware.close();
    expect(await hardware.read(TWO)).toEqual([]);
  });

  test('what a device does not tell is null, and its processes have no load of their own', async () => {
    stub.says('count 1', '0.name NVIDIA T4', `0.memory ${16 * GIB} 0 ${GIB}`, '0.compute 5:77');
    const hardware = await opened(stub);
    expect(hardware.devices).toEqual([{ index: 0, kind: 't4', memoryBytes: 16 * GIB, simulated: false }]);
    expect(await hardware.read(TWO)).toEqual([
      {
        index: 0,
        totalBytes: 16 * GIB,
        usedBytes: GIB,
        loadMillis: null,
        temperatureC: null,
        powerW: null,
        processes: [{ pid: 5, memoryBytes: 77, loadMillis: null }],
      },
    ]);
    hardware.close();
  });

  test('a list of processes may be longer than expected', async () => {
    const now = Date.now() * 1000;
    const pids = Array.from({ length: 300 }, (_, i) => 1000 + i);
    stub.says(
      ...BOTH,
      `0.compute ${pids.map((pid) => `${pid}:${pid}`).join(' ')}`,
      `0.busy ${pids.map((pid) => `${pid}:${pid % 100}:${now}`).join(' ')}`,
    );
    const hardware = await opened(stub);
    const [reading] = await hardware.read(TWO);
    expect(reading?.processes).toEqual(
      pids.map((pid) => ({ pid, memoryBytes: pid, loadMillis: (pid % 100) * 10 })),
    );
    hardware.close();
  });

  test('memory that is not told is the rest of what is used; of two nobody knows', async () => {
    stub.says(...BOTH, `0.compute 11:- 12:${GIB}`);
    const hardware = await opened(stub);
    expect((await hardware.read(TWO))[0]?.processes).toEqual([
      { pid: 11, memoryBytes: 5 * GIB, loadMillis: null },
      { pid: 12, memoryBytes: GIB, loadMillis: null },
    ]);
    stub.says(...BOTH, '0.compute 11:- 12:-');
    expect((await hardware.read(TWO))[0]).toMatchObject({ usedBytes: 6 * GIB, processes: null });
    hardware.close();
  });

  test('an old library, without the functions that came later, serves as well', async () => {
    const old = compileStub(directory, 'old', 'OLD');
    old.says(...BOTH, '0.compute 11:5 12:6 13:7', '0.mig 1');
    const hardware = await opened(old);
    expect(hardware.devices.map(({ memoryBytes }) => memoryBytes)).toEqual([40 * GIB, 16 * GIB]);
    expect((await hardware.read(TWO))[0]).toMatchObject({
      usedBytes: 7 * GIB,
      processes: [{ pid: 11 }, { pid: 12 }, { pid: 13 }],
    });
    hardware.close();
  });

  test.each([16, 24, 32])(
    'structs of %d bytes are read right, whatever the function is called',
    async (bytes) => {
      const odd = compileStub(directory, `structs-of-${bytes}`, `INFO_BYTES=${bytes}`);
      odd.says(...BOTH, '0.compute 11:5 12:6 13:-');
      const hardware = await opened(odd);
      expect((await hardware.read(TWO))[0]?.processes).toEqual([
        { pid: 11, memoryBytes: 5, loadMillis: null },
        { pid: 12, memoryBytes: 6, loadMillis: null },
        { pid: 13, memoryBytes: 6 * GIB - 11, loadMillis: null },
      ]);
      hardware.close();
    },
  );

  test('the parts of a divided device are devices, and all are numbered anew', async () => {
    const parts = [
      '0.mig 1',
      '0.parts 7',
      '0/0.name NVIDIA A100-SXM4-40GB MIG 1g.5gb',
      '0/0.uuid MIG-1111',
      `0/0.memory ${5 * GIB} 0 ${GIB}`,
      '0/0.compute 21:1024',
      '0/0.busy 21:50:9999999999999999',
      '0/0.gi 7',
      '0/0.ci 0',
      '0/3.name NVIDIA A100-SXM4-40GB',
      '0/3.uuid MIG-3333',
      `0/3.memory ${20 * GIB} 0 0`,
      '0/3.load 99',
      '0/3.slices 3',
    ];
    stub.says(...BOTH, ...parts);
    const hardware = await opened(stub);
    expect(hardware.devices).toEqual([
      {
        index: 0,
        kind: 'a100-sxm4-40gb-mig-1g.5gb',
        memoryBytes: 5 * GIB,
        simulated: false,
        uuid: 'MIG-1111',
        visibleAs: 'MIG-1111',
        aliases: ['MIG-GPU-aaaa/7/0'],
      },
      {
        index: 1,
        kind: 'a100-sxm4-40gb-mig-3g.20gb',
        memoryBytes: 20 * GIB,
        simulated: false,
        uuid: 'MIG-3333',
        visibleAs: 'MIG-3333',
        aliases: [],
      },
      {
        index: 2,
        kind: 'v100-sxm2-16gb',
        memoryBytes: 16 * GIB,
        simulated: false,
        uuid: 'GPU-bbbb',
        visibleAs: 'GPU-bbbb',
      },
    ]);
    expect(await hardware.read(new Set([0, 1, 2]))).toMatchObject([
      {
        index: 0,
        usedBytes: GIB,
        loadMillis: null,
        processes: [{ pid: 21, memoryBytes: 1024, loadMillis: null }],
      },
      { index: 1, loadMillis: null, processes: [] },
      { index: 2, loadMillis: 0, temperatureC: 33 },
    ]);
    hardware.close();
  });

  test('a device that nobody has divided into parts yet cannot be used', async () => {
    stub.says(...BOTH, '1.mig 1', '1.parts 7');
    const hardware = await opened(stub);
    expect(hardware.devices.map(({ index, uuid }) => [index, uuid])).toEqual([[0, 'GPU-aaaa']]);
    hardware.close();
  });

  test('a device that is lost is left out, and others go on', async () => {
    stub.says(...BOTH);
    const hardware = await opened(stub);
    const lost = ['nvmlDeviceGetMemoryInfo', 'nvmlDeviceGetMemoryInfo_v2', 'nvmlDeviceGetTemperature'];
    stub.says(...BOTH, ...lost.map((name) => `0.fails ${name} ${ERROR_GPU_IS_LOST}`));
    expect((await hardware.read(TWO)).map(({ index }) => index)).toEqual([1]);
    stub.says(...BOTH);
    expect((await hardware.read(TWO)).map(({ index }) => index)).toEqual([0, 1]);
    hardware.close();
  });

  test('a device that is lost from the start is no device, and others keep their numbers', async () => {
    stub.says(...BOTH, `0.fails nvmlDeviceGetHandleByIndex_v2 ${ERROR_GPU_IS_LOST}`);
    const hardware = await opened(stub);
    expect(hardware.devices.map(({ index }) => index)).toEqual([1]);
    hardware.close();
  });

  test('without permission nobody says who uses it', async () => {
    const refused = (name: string) => `0.fails ${name} ${ERROR_NO_PERMISSION}`;
    stub.says(...BOTH, '0.compute 11:5', refused('nvmlDeviceGetComputeRunningProcesses_v3'));
    const hardware = await opened(stub);
    expect((await hardware.read(TWO))[0]).toMatchObject({ usedBytes: 6 * GIB, processes: null });
    stub.says(
      ...BOTH,
      '0.compute 11:5',
      '0.busy 11:5:9999999999999999',
      refused('nvmlDeviceGetProcessUtilization'),
      refused('nvmlDeviceGetGraphicsRunningProcesses_v3'),
    );
    expect((await hardware.read(TWO))[0]?.processes).toEqual([{ pid: 11, memoryBytes: 5, loadMillis: null }]);
    hardware.close();
  });

  test('a call that does not come back ends the look, and nothing is called before it has', async () => {
    stub.says(...BOTH);
    const hardware = await opened(stub, { lookPatienceMs: 200 });
    stub.says(...BOTH, '1.hangs nvmlDeviceGetTemperature');
    expect((await hardware.read(TWO)).map(({ index }) => index)).toEqual([0]);
    expect(await hardware.read(TWO)).toEqual([]);
    stub.says(...BOTH);
    const isBack = async () => (await hardware.read(TWO)).length === 2;
    while (!(await isBack())) await new Promise((resolve) => setTimeout(resolve, 2));
    hardware.close();
  });

  test('two who ask at once share a look', async () => {
    stub.says(...BOTH);
    const hardware = await opened(stub);
    const [all, one] = await Promise.all([hardware.read(TWO), hardware.read(new Set([1]))]);
    expect(all.map(({ index }) => index)).toEqual([0, 1]);
    expect(one.map(({ index }) => index)).toEqual([1]);
    hardware.close();
  });

  test('there is nothing without a library, without a driver, or with one that does not answer', async () => {
    expect(await openNvml({ library: join(directory, 'missing.so') })).toBeNull();
    stub.says(`init fails ${ERROR_DRIVER_NOT_LOADED}`);
    expect(await openNvml({ library: stub.library })).toBeNull();
    stub.says('init hangs');
    expect(await openNvml({ library: stub.library, openPatienceMs: 50 })).toBeNull();
    stub.says(...BOTH);
  });

  test('a process can end while a call has not come back', () => {
    stub.says(...BOTH, '0.hangs nvmlDeviceGetUUID');
    const program = join(directory, 'ends.mjs');
    writeFileSync(
      program,
      `import { openNvml } from ${JSON.stringify(compiled('src/telemetry/nvml/hardware.ts', directory))};
      await openNvml({ library: ${JSON.stringify(stub.library)}, openPatienceMs: 50 });
      process.exit(7);`,
    );
    const { status, stderr } = spawnSync(process.execPath, [program], { timeout: 20_000, encoding: 'utf8' });
    stub.says(...BOTH);
    expect([status, stderr]).toEqual([7, '']);
  });
});
