/**
 * The file of a rank comes into being before its shim does, and goes when the attempt is on record. Making and
 * removing thousands of files is slow on the most common file systems (ext4 passes over every inode that was
 * freed in the last minutes), so files that are done with are used again.
 */

import { closeSync, openSync, readdirSync, renameSync, statSync } from 'node:fs';
import type { AttemptId } from '../model/ids.ts';
import { isErrno, removeIfThere } from '../platform/files.ts';
import { rankPath, type YardFiles } from './yard-files.ts';

export interface RankFiles {
  /** Makes sure that it is there. True when it was not: then no shim can have been started for it before. */
  place(attempt: AttemptId, rank: number): boolean;
  /** Only for a rank whose one shim is known to be gone: another could take the next rank's file for its own. */
  recycle(attempt: AttemptId, rank: number): void;
}

const MOST_SPARES = 256;

export function createRankFiles(files: YardFiles): RankFiles {
  const spares = readdirSync(files.spares).map((name) => `${files.spares}/${name}`);
  let names = spares.length;

  function placeSpare(path: string): boolean {
    const spare = spares.pop();
    if (spare === undefined) return false;
    try {
      renameSync(spare, path);
      return true;
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return false;
      throw error;
    }
  }

  return {
    place(attempt, rank) {
      const path = rankPath(files, attempt, rank);
      if (statSync(path, { throwIfNoEntry: false }) !== undefined) return false;
      if (placeSpare(path)) return true;
      try {
        closeSync(openSync(path, 'wx', 0o600));
        return true;
      } catch (error) {
        if (isErrno(error, 'EEXIST')) return false;
        throw error;
      }
    },
    recycle(attempt, rank) {
      const path = rankPath(files, attempt, rank);
      if (spares.length >= MOST_SPARES) {
        removeIfThere(path);
        return;
      }
      closeSync(openSync(path, 'w'));
      const spare = `${files.spares}/${process.pid}.${names++}`;
      renameSync(path, spare);
      spares.push(spare);
    },
  };
}
