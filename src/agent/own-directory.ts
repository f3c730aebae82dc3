/** Directories that are ours alone, in places where others may write: never through something that they put there. */

import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { printable } from '../model/bytes.ts';
import { isErrno } from '../platform/files.ts';

/** Makes it, or makes sure that it is ours. */
export function makeOwnDirectory(path: string): void {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    checkOwn(path);
    chmodSync(path, 0o700);
  }
}

export function checkOwn(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) throw new Error(`${printable(path)} is not a directory`);
  if (stats.uid !== process.geteuid?.()) throw new Error(`${printable(path)} belongs to somebody else`);
}
