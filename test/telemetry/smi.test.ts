/** nvidia-smi as we call it, against a script of that name. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSmi, parseDevices, parseProcesses } from '../../src/telemetry/smi.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
const TWO = new Set([0, 1]);
const A100 = '0, GPU-aaaa, NVIDIA A100-SXM4-80GB, 81920, 6144, 83, 61, 251.40\n';
const V100 = '1, GPU-bbbb, Tesla V100-SXM2-16GB, 16384, 0, 0, 33, 40.12\n';

describe('what it prints', () => {
  test('is a line for each device', () => {
    expect(parseDevices(A100 + V100)).toEqual([
      {
        index: 0,
        uuid: 'GPU-aaaa',
        kind: 'a100-sxm4-80gb',
        totalBytes: 80 * GIB,
        usedBytes: 6 * GIB,
        loadMillis: 830,
        temperatureC: 61,
        powerW: 251,
      },
      {
        index: 1,
        uuid: 'GPU-bbbb',
        kind: 'v100-sxm2-16gb',
        totalBytes: 16 * GIB,
        usedBytes: 0,
        loadMillis: 0,
        temperatureC: 33,
        powerW: 40,
      },
    ]);
  });

  test('may hold words instead of numbers, and lines that are about something else', () => {
    const text = [
      'Warning: persistence mode is disabled on device 0, 1, 2, 3, 4, 5, 6, 7.',
      '0, GPU-aaaa, NVIDIA GB10, [N/A], [Not Supported], [Unknown Error], 40, [GPU requires reset]',
      'Unable to determine the device handle for GPU 0000:41:00.0: Unknown Error',
      '1, [N/A], NVIDIA X, Ltd. Edition, 100, 5, 1, 2, 3',
      '',
    ].join('\n');
    expect(parseDevices(text)).toEqual([
      {
        index: 0,
        uuid: 'GPU-aaaa',
        kind: 'gb10',
        totalBytes: null,
        usedBytes: null,
        loadMillis: null,
        temperatureC: 40,
        powerW: null,
      },
      {
        index: 1,
        uuid: null,
        kind: 'x-ltd.-edition',
        totalBytes: 100 * MIB,
        usedBytes: 5 * MIB,
        loadMillis: 10,
        temperatureC: 2,
        powerW: 3,
      },
    ]);
  });

  test('is a line for each process, if it tells', () => {
    const text = '11, GPU-aaaa, 4096\n12, GPU-bbbb, [N/A]\n11, GPU-bbbb, 1\nNo running processes found\n';
    expect(parseProcesses(text)).toEqual(
      new Map([
        ['GPU-aaaa', [{ pid: 11, memoryBytes: 4 * GIB, loadMillis: null }]],
        [
          'GPU-bbbb',
          [
            { pid: 12, memoryBytes: null, loadMillis: null },
            { pid: 11, memoryBytes: MIB, loadMillis: null },
          ],
        ],
      ]),
    );
    expect(parseProcesses('')).toEqual(new Map());
    expect(parseProcesses('[Not Supported]\n')).toBeNull();
    expect(parseProcesses('[Insufficient Permissions], GPU-aaaa, [N/A]\n')).toBeNull();
  });
});

describe('as a program', () => {
  let directory = '';
  let nowMs = 0;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'smi-'));
    nowMs = 0;
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const opened = (lookPatienceMs = 10_000) =>
    openSmi({
      environment: { PATH: `${directory}:${process.env.PATH}` },
      lookPatienceMs,
      nowMs: () => nowMs,
    });

  /** The two answers are shell commands. */
  function smiDoes(devices: string, processes: string): void {
    const script = `#!/bin/sh
echo "$*" >> ${directory}/calls
case $1 in
--query-gpu=index,uuid,name,memory.total,memory.used,utilization.gpu,temperature.gpu,power.draw) ${devices} ;;
--query-compute-apps=pid,gpu_uuid,used_memory) ${processes} ;;
*) exit 2 ;;
esac
`;
    writeFileSync(join(directory, 'nvidia-smi'), script, { mode: 0o755 });
  }
  const prints = (text: string) => `printf '%s' '${text}'`;
  const callCount = () => readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n').length;

  test('it lists devices, and tells at every look what they do', async () => {
    smiDoes(prints(A100 + V100), prints('11, GPU-aaaa, 4096\n12, GPU-aaaa, [N/A]\n'));
    const hardware = await opened();
    expect(hardware?.name).toBe('nvidia-smi');
    expect(hardware?.devices).toEqual([
      { index: 0, kind: 'a100-sxm4-80gb', memoryBytes: 80 * GIB, simulated: false, uuid: 'GPU-aaaa' },
      { index: 1, kind: 'v100-sxm2-16gb', memoryBytes: 16 * GIB, simulated: false, uuid: 'GPU-bbbb' },
    ]);
    expect(await hardware?.read(TWO)).toEqual([
      {
        index: 0,
        usedBytes: 6 * GIB,
        totalBytes: 80 * GIB,
        loadMillis: 830,
        temperatureC: 61,
        powerW: 251,
        processes: [
          { pid: 11, memoryBytes: 4 * GIB, loadMillis: null },
          { pid: 12, memoryBytes: 2 * GIB, loadMillis: null },
        ],
      },
      {
        index: 1,
        usedBytes: 0,
        totalBytes: 16 * GIB,
        loadMillis: 0,
        temperatureC: 33,
        powerW: 40,
        processes: [],
      },
    ]);
  });

  test('it is not started more than once a second, and not twice for two who ask at once', async () => {
    smiDoes(prints(A100), prints(''));
    const hardware = await opened();
    const before = callCount();
    await Promise.all([hardware?.read(TWO), hardware?.read(TWO)]);
    await hardware?.read(TWO);
    expect(callCount() - before).toBe(2);
    nowMs += 1000;
    await hardware?.read(TWO);
    expect(callCount() - before).toBe(4);
  });

  test('a device that does not tell its memory is left out; who uses it may stay untold', async () => {
    smiDoes(prints(A100 + V100), 'exit 3');
    const hardware = await opened();
    smiDoes(prints(A100.replace('6144', '[N/A]') + V100), 'exit 3');
    expect(await hardware?.read(TWO)).toMatchObject([{ index: 1, usedBytes: 0, processes: null }]);
  });

  test('when it fails there is nothing to tell', async () => {
    smiDoes(prints(A100), prints(''));
    const hardware = await opened();
    smiDoes('echo "Failed to initialize NVML: Driver/library version mismatch"; exit 18', 'exit 18');
    expect(await hardware?.read(TWO)).toEqual([]);
    expect(await opened()).toBeNull();
    rmSync(join(directory, 'nvidia-smi'));
    expect(await openSmi({ environment: { PATH: directory } })).toBeNull();
  });

  test('it is not waited for when it hangs', async () => {
    smiDoes(prints(A100), prints(''));
    const hardware = await opened(100);
    smiDoes('exec sleep 60', 'exec sleep 60');
    expect(await hardware?.read(TWO)).toEqual([]);
    smiDoes(prints(A100), prints(''));
    const isBack = async () => {
      nowMs += 1000;
      return ((await hardware?.read(TWO)) ?? []).length === 1;
    };
    while (!(await isBack())) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});
