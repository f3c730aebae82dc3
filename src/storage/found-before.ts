/**
 * Files where checkpoints last that no record knows, such as those of another system. Nobody is told to go on from them,
 * since nothing says whether they are whole; so whoever may have expected it hears that they are not used.
 */

import { printable } from '../model/bytes.ts';
import { isCompanion } from './retention.ts';
import { scanDirectory } from './scan.ts';
import type { Shelf } from './shelf.ts';
import { newestFirst } from './units.ts';

/** Sentences; none as soon as something is kept there. */
export async function unrecordedFiles(shelf: Shelf): Promise<readonly string[]> {
  if (shelf.entries().length > 0) return [];
  const units = (await scanDirectory(shelf.directory)).filter(
    (unit) => unit.kind !== 'pointer' && !isCompanion(unit),
  );
  const [newest] = newestFirst(units);
  if (newest === undefined) return [];
  const others = units.length === 1 ? '' : ` and ${units.length - 1} more`;
  return [
    `nothing is recorded of ${printable(newest.name)}${others} in ${printable(shelf.directory)}, so no run resumes from there; a program may look there itself, in TRAINYARD_PERSIST`,
  ];
}
