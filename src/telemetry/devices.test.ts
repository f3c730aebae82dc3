import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { devicesShownBy, kindOf } from './devices.ts';

test('the kernel driver lists devices in the order of the bus', () => {
  const root = mkdtempSync(join(tmpdir(), 'gpus-'));
  for (const [address, model] of [
    ['0000:41:00.0', 'NVIDIA GeForce RTX 4090'],
    ['0000:01:00.0', 'NVIDIA H100 PCIe'],
  ] as const) {
    mkdirSync(join(root, address));
    writeFileSync(join(root, address, 'information'), `Model: \t\t ${model}\nIRQ:   \t\t 12\n`);
  }
  expect(devicesShownBy(root).map(({ index, kind }) => [index, kind])).toEqual([
    [0, 'h100-pcie'],
    [1, 'rtx-4090'],
  ]);
  rmSync(root, { recursive: true });
  expect(devicesShownBy(root)).toEqual([]);
});

test('a model without usable characters is still a kind', () => {
  expect(kindOf('NVIDIA ®')).toBe('gpu');
});
