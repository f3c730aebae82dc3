/** A name that a yard keeps for as long as its directory lives, so that its processes can be told from others'. */

import { randomBytes } from 'node:crypto';
import { readFileIfThere, writeFileAtomic } from '../platform/files.ts';

const FILE = 'id';

export function yardIdIn(directory: string): string {
  const path = `${directory}/${FILE}`;
  const known = readFileIfThere(path)?.toString().trim() ?? '';
  if (/^[0-9a-f]{16}$/.test(known)) return known;
  const fresh = randomBytes(8).toString('hex');
  writeFileAtomic(path, `${fresh}\n`);
  return fresh;
}
