/** The program that mail is sent with, where nobody named one: the first of a few that is there. */

import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

const NAMES = ['mail', 'mailx', 'sendmail'];
/** Where sendmail is, which is on few people's PATH. */
const FURTHER_DIRECTORIES = ['/usr/sbin', '/usr/lib'];

/** Null when there is none. */
export function findMailProgram(path: string): string | null {
  const directories = [...path.split(':').filter((part) => part.startsWith('/')), ...FURTHER_DIRECTORIES];
  for (const name of NAMES) {
    const found = directories.map((directory) => join(directory, name)).find(isProgram);
    if (found !== undefined) return found;
  }
  return null;
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
