/** GPUs as the kernel's driver shows them, where nothing else can be asked, and the word by which a model is called. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Device } from '../model/node.ts';

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
