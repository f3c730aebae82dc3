/**
 * Which GPUs this machine has: asked of nvidia-smi, which every driver brings along, and otherwise read from
 * what the kernel driver shows. Numbers are in the order of the PCI bus, as nvidia-smi counts.
 */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Device } from '../model/node.ts';

const QUERY = ['--query-gpu=index,memory.total,name', '--format=csv,noheader,nounits'];
const PATIENCE_MS = 10_000;

export function detectDevices(): readonly Device[] {
  const drivers = '/proc/driver/nvidia/gpus';
  const shown = devicesShownBy(drivers);
  // Without the kernel driver nvidia-smi can only fail, and starting it costs time.
  if (shown.length === 0) return [];
  try {
    const text = execFileSync('nvidia-smi', QUERY, {
      encoding: 'utf8',
      timeout: PATIENCE_MS,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const listed = parseSmi(text);
    return listed.length > 0 ? listed : shown;
  } catch {
    return shown;
  }
}

/** Lines of `index, MiB, name`. What is not such a line is passed over. */
export function parseSmi(text: string): readonly Device[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+),\s*(\d+),\s*(.+?)\s*$/.exec(line);
    if (match === null) return [];
    return [
      {
        index: Number(match[1]),
        memoryBytes: Number(match[2]) * 1024 ** 2,
        kind: kindOf(match[3] as string),
        simulated: false,
      },
    ];
  });
}

/** The driver's own list, one directory per bus address; it does not tell how much memory there is. */
export function devicesShownBy(directory: string): readonly Device[] {
  let addresses: string[];
  try {
    addresses = readdirSync(directory).sort();
  } catch {
    return [];
  }
  return addresses.map((address, index) => {
    const model = /^Model:\s*(.+?)\s*$/m.exec(readOrEmpty(join(directory, address, 'information')));
    return { index, memoryBytes: 0, kind: kindOf(model?.[1] ?? 'gpu'), simulated: false };
  });
}

/** `NVIDIA A100-SXM4-80GB` as people write it in a request: `a100-sxm4-80gb`. */
export function kindOf(model: string): string {
  const words = model
    .toLowerCase()
    .replace(/^nvidia\s+/, '')
    .replace(/^(geforce|tesla|quadro)\s+/, '');
  return words.replace(/[^a-z0-9.]+/g, '-').replace(/^-|-$/g, '') || 'gpu';
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
