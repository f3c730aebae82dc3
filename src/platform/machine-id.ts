/** Which machine this is, as far as the system says. */

import { createHash } from 'node:crypto';
import { readFileIfThere } from './files.ts';

const FILE = '/etc/machine-id';

/** Null where the machine has none, as in many containers. The number itself is not to be told to others: this is a hash of it. */
export function machineId(file = FILE): string | null {
  const id = readFileIfThere(file)?.toString('utf8').trim() ?? '';
  if (!/^[0-9a-f]{32}$/.test(id)) return null;
  return createHash('sha256').update(`trainyard ${id}`).digest('hex').slice(0, 16);
}
