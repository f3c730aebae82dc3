/** Whether files are still those that somebody saw before: by what stat says of them, without reading them. */

import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { Unit, UnitDirectory, UnitFile } from './units.ts';

/** The same for the same files, and different as soon as one was written to, replaced, added or removed. */
export function identityOf({ files, directories }: Pick<Unit, 'files' | 'directories'>): string {
  const hash = createHash('sha256');
  for (const { path, size, mtimeMs, ctimeMs, ino, link } of files)
    hash.update(JSON.stringify([path, size, mtimeMs, ctimeMs, ino, link]));
  // Their times say only that a temporary file has come and gone.
  for (const { path, ino } of directories) hash.update(JSON.stringify([path, ino]));
  return hash.digest('base64url').slice(0, 27);
}

export function isSameFile(stat: Stats, file: UnitFile): boolean {
  return (
    (file.link === null ? stat.isFile() : stat.isSymbolicLink()) &&
    stat.size === file.size &&
    stat.mtimeMs === file.mtimeMs &&
    stat.ctimeMs === file.ctimeMs &&
    stat.ino === file.ino
  );
}

export function isSameDirectory(stat: Stats, directory: UnitDirectory): boolean {
  return stat.isDirectory() && stat.mtimeMs === directory.mtimeMs && stat.ino === directory.ino;
}
