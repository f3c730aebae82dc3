/**
 * Checkpoints that were where they are to last before anything was recorded there, such as those of a script that copied
 * them itself. The newest that is not broken, as far as its format can tell, is what a first run goes on from: the same
 * that its program would have taken. Without a record nothing tells whether somebody else has changed them, so they must
 * be the user's own, and nobody else's to write. Nothing is changed where they are.
 */

import { closeSync, fstatSync } from 'node:fs';
import { printable } from '../model/bytes.ts';
import type { DirectoryHandle } from '../platform/directory.ts';
import { errorWords } from '../platform/files.ts';
import { isOthersToWrite } from '../platform/named-directory.ts';
import { openBelow } from '../platform/open-below.ts';
import { isBroken } from './broken-units.ts';
import { isCompanion } from './retention.ts';
import { scanOpenDirectory } from './scan.ts';
import type { Shelf } from './shelf.ts';
import { newestFirst, type Unit } from './units.ts';

export interface FoundBefore {
  /** Where the program finds it; null: there is none. */
  readonly path: string | null;
  readonly remarks: readonly string[];
}

/** Nothing as soon as something is kept there. */
export async function restoreFound(shelf: Shelf, to: string): Promise<FoundBefore> {
  if (shelf.entries().length > 0) return { path: null, remarks: [] };
  const remarks: string[] = [];
  for (const unit of newestFirst(await scanOpenDirectory(shelf.root))) {
    if (unit.kind === 'pointer' || isCompanion(unit)) continue;
    const name = printable(unit.name);
    const why = await whyNotUsed(shelf, unit, to);
    if (why === null) {
      remarks.push(`goes on from ${name} in ${printable(shelf.directory)}, which was there before`);
      return { path: `${to}/${unit.name}`, remarks };
    }
    remarks.push(`${name} in ${printable(shelf.directory)} ${why}`);
  }
  return { path: null, remarks };
}

/** Null: it has been copied. */
async function whyNotUsed(shelf: Shelf, unit: Unit, to: string): Promise<string | null> {
  if (unit.trouble !== null) return `is passed over: ${printable(unit.trouble)}`;
  if (await isBroken(shelf.root, unit)) return 'is not whole';
  if (await canOthersWrite(shelf.root, unit))
    return 'is passed over: other users may write to it, and nothing is recorded of what it was';
  try {
    return (await shelf.copyFound(unit, to)) === 'copied' ? null : 'is still being written';
  } catch (error) {
    return `cannot be used: ${errorWords(error)}`;
  }
}

async function canOthersWrite(root: DirectoryHandle, { files }: Unit): Promise<boolean> {
  for (const { path, link } of files) {
    if (link !== null) continue;
    const fd = await openBelow(root, path).catch(() => null);
    if (fd === null) continue;
    const found = fstatSync(fd);
    closeSync(fd);
    if (isOthersToWrite(found)) return true;
  }
  return false;
}
