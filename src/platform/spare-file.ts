/**
 * One file descriptor that is kept for when there is no other: what has to be read to know whether a process lives must
 * be readable then too, since a process that cannot be looked at is easily taken for one that is gone.
 */

import { closeSync, openSync } from 'node:fs';
import { isOutOfFiles } from './files.ts';

let spare: number | null = null;

/** Work that opens one file at a time and closes it again. It is done twice when there was no descriptor for it. */
export function withSpareFile<T>(work: () => T): T {
  spare ??= openSpare();
  try {
    return work();
  } catch (error) {
    if (!isOutOfFiles(error) || spare === null) throw error;
  }
  closeSync(spare);
  spare = null;
  try {
    return work();
  } finally {
    spare = openSpare();
  }
}

function openSpare(): number | null {
  try {
    return openSync('/dev/null', 'r');
  } catch {
    return null;
  }
}
