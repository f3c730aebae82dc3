/**
 * Checkpoints that were where they are to last before anything was recorded there, such as those of a script that copied
 * them itself. The newest that is not broken, as far as its format can tell, is what a first run goes on from: the same
 * that its program would have taken. Nothing is changed where they are.
 */

import { cp, mkdir, rename } from 'node:fs/promises';
import { printable } from '../model/bytes.ts';
import { errorWords } from '../platform/files.ts';
import { onDisk } from '../platform/path-bytes.ts';
import { removeTree } from '../platform/remove-tree.ts';
import { isBroken } from './broken-units.ts';
import { statIfThere } from './log-files.ts';
import { isCompanion } from './retention.ts';
import { scanDirectory } from './scan.ts';
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
  for (const unit of newestFirst(await scanDirectory(shelf.directory))) {
    if (unit.kind === 'pointer' || isCompanion(unit)) continue;
    const name = printable(unit.name);
    if (unit.trouble !== null || (await isBroken(shelf.directory, unit))) {
      remarks.push(`${name} in ${printable(shelf.directory)} is not whole`);
      continue;
    }
    try {
      await copyUnit(unit, shelf.directory, to);
    } catch (error) {
      remarks.push(`${name} in ${printable(shelf.directory)} cannot be used: ${errorWords(error)}`);
      continue;
    }
    remarks.push(`goes on from ${name} in ${printable(shelf.directory)}, which was there before`);
    return { path: `${to}/${unit.name}`, remarks };
  }
  return { path: null, remarks };
}

/** Whole under its names, or not there at all. What the program has there already stays. */
async function copyUnit(unit: Unit, from: string, to: string): Promise<void> {
  const draft = `${to}/.trainyard-found`;
  await removeTree(draft);
  await mkdir(onDisk(draft), { mode: 0o700 });
  const tops = unit.kind === 'directory' ? [unit.name] : unit.files.map(({ path }) => path);
  try {
    for (const top of tops)
      await cp(`${from}/${top}`, `${draft}/${top}`, {
        recursive: true,
        preserveTimestamps: true,
        verbatimSymlinks: true,
      });
    for (const top of tops)
      if ((await statIfThere(`${to}/${top}`)) === null)
        await rename(onDisk(`${draft}/${top}`), onDisk(`${to}/${top}`));
  } finally {
    await removeTree(draft);
  }
}
