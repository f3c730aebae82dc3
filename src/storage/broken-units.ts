/** Whether a unit lacks a piece, as far as the formats of its files can tell. */

import type { DirectoryHandle } from '../platform/directory.ts';
import { looksWhole } from './formats.ts';
import type { Unit } from './units.ts';

export async function isBroken(directory: DirectoryHandle, { files }: Unit): Promise<boolean> {
  for (const { path, size, link } of files)
    if (link === null && (await looksWhole(directory, path, size)) === 'broken') return true;
  return false;
}
