/**
 * Who may use a disk now: only so many copies at once go to the same one, in the order in which they were asked for. A
 * storage server that hangs so keeps only its own copies waiting.
 */

import { stat } from 'node:fs/promises';
import { onDisk } from '../platform/path-bytes.ts';

export type Turns = <T>(disk: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(mostAtOnce: number): Turns {
  const disks = new Map<string, { underWay: number; readonly waiting: (() => void)[] }>();
  return async (name, work) => {
    const disk = disks.get(name) ?? { underWay: 0, waiting: [] };
    disks.set(name, disk);
    if (disk.underWay >= mostAtOnce) await new Promise<void>((resolve) => disk.waiting.push(resolve));
    else disk.underWay++;
    try {
      return await work();
    } finally {
      const next = disk.waiting.shift();
      // The next one takes this turn over, so that nobody gets in between.
      if (next !== undefined) next();
      else if (--disk.underWay === 0) disks.delete(name);
    }
  };
}

/** What tells one disk from another; a directory that is not there yet stands for itself. */
export async function diskOf(directory: string): Promise<string> {
  const found = await stat(onDisk(directory)).catch(() => null);
  return found === null ? directory : `device ${found.dev}`;
}
