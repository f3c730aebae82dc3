/** For tests: a machine, and a directory of its own for `trainyard.toml`. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Device } from '../../model/node.ts';
import { type Refusal, RefusalError } from '../../model/refusal.ts';
import { type Config, loadConfig } from './load.ts';
import type { Machine } from './machine.ts';

export const GIB = 1024 ** 3;
const device = (index: number): Device => ({
  index,
  kind: 'A100',
  memoryBytes: 40 * GIB,
  simulated: false,
});
export const machine: Machine = {
  hostname: 'box.example.org',
  cpus: 8,
  cpuIds: [0, 1, 2, 3, 4, 5, 6, 7],
  memoryBytes: 32 * GIB,
  devices: [device(0), device(1), device(2)],
  mailProgram: '/usr/bin/mail',
};

/** A new directory for each test of the file that calls this. */
export function configDirectory() {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'yard-config-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const path = () => join(directory, 'trainyard.toml');
  const load = (text: string): Config => {
    writeFileSync(path(), text);
    return loadConfig({ directory, file: null, machine });
  };
  return {
    directory: () => directory,
    path,
    load,
    refused: (text: string) => refusalFrom(() => load(text)),
  };
}

export function refusalFrom(action: () => unknown): Refusal {
  let thrown: unknown = null;
  try {
    action();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(RefusalError);
  return (thrown as RefusalError).refusal;
}
