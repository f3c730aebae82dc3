/**
 * Directories of one attempt each on the fastest local disk that has room. Which attempts have one is noted by others;
 * what is in them is their programs' business.
 */

import { lstatSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { printable } from '../model/bytes.ts';
import type { AttemptId } from '../model/ids.ts';
import { Fault } from '../model/refusal.ts';
import { formatBytes } from '../model/units.ts';
import { errorWords } from '../platform/files.ts';
import { DISK_WORDS, freeBytesIn, type LocalDisk, speedOf } from '../platform/local-disks.ts';
import { removeTree } from '../platform/remove-tree.ts';
import type { KeepOrder } from '../storage/keeper.ts';
import { usedIn } from '../storage/scratch-quota.ts';
import { checkOwn, makeOwnDirectory } from './own-directory.ts';

/** Fastest first; in each of them, everything is below one directory of this name. */
export interface ScratchPlaces {
  readonly disks: readonly LocalDisk[];
  readonly name: string;
}

export interface Scratch {
  /**
   * Finds room. `take` is told where before anybody else looks for some. Rejects with a Fault when there is none;
   * `others` are those who may fill theirs.
   */
  choose(
    attempt: AttemptId,
    maxBytes: number | null,
    others: () => readonly KeepOrder[],
    take: (directory: string) => void,
  ): Promise<void>;
  /** Throws a Fault. */
  make(directory: string): void;
  /** Safe to repeat. */
  remove(directory: string): Promise<void>;
  remarks(): readonly string[];
}

/** Counting what somebody else has used takes no longer; what was not counted by then counts as promised. */
const COUNT_MS = 1000;

interface Room {
  readonly disk: LocalDisk;
  readonly root: string;
  readonly freeBytes: number;
  readonly promisedBytes: number;
}

export function createScratch({ disks, name }: ScratchPlaces): Scratch {
  /** One after the other, so that two do not find the same room. */
  let lastChoice: Promise<unknown> = Promise.resolve();

  async function roomOn(disk: LocalDisk, others: readonly KeepOrder[]): Promise<Room | string> {
    const root = `${disk.directory}/${name}`;
    try {
      if (lstatSync(root, { throwIfNoEntry: false }) !== undefined) checkOwn(root);
      const freeBytes = await freeBytesIn(disk.directory);
      return { disk, root, freeBytes, promisedBytes: await promisedBelow(root, others) };
    } catch (error) {
      return `${printable(root)}: ${errorWords(error)}`;
    }
  }

  async function rootWithRoom(maxBytes: number | null, others: readonly KeepOrder[]): Promise<string> {
    const looks = await Promise.all(disks.map((disk) => roomOn(disk, others)));
    const rooms = looks.filter((look) => typeof look !== 'string');
    rooms.sort((a, b) => speedOf(a.disk) - speedOf(b.disk) || b.freeBytes - a.freeBytes);
    const found = rooms.find((room) => leftIn(room) >= Math.max(1, maxBytes ?? 0));
    if (found !== undefined) return found.root;
    const most = rooms.sort((a, b) => leftIn(b) - leftIn(a))[0];
    if (most !== undefined) throw new Fault(noRoom(most, maxBytes), true);
    const why = looks.find((look) => typeof look === 'string') ?? 'there is no local disk for it';
    throw new Fault(`cannot make its scratch directory: ${why}`, true);
  }

  return {
    choose(attempt, maxBytes, others, take) {
      const choice = lastChoice.then(async () => {
        take(`${await rootWithRoom(maxBytes, others())}/scratch/${attempt}`);
      });
      lastChoice = choice.catch(() => {});
      return choice;
    },
    make(directory) {
      const above = dirname(directory);
      try {
        for (const path of [dirname(above), above, directory]) makeOwnDirectory(path);
      } catch (error) {
        throw new Fault(
          `cannot make its scratch directory ${printable(directory)}: ${errorWords(error)}`,
          true,
          error,
        );
      }
    },
    async remove(directory) {
      await removeTree(directory);
      const above = dirname(directory);
      for (const path of [above, dirname(above)]) if (!removeIfEmpty(path)) return;
    },
    remarks() {
      const [first, ...slower] = disks;
      if (first === undefined)
        return ['there is no local disk for scratch directories: jobs that want one are held'];
      const where = `scratch directories are ${DISK_WORDS[first.kind]}, in ${printable(first.directory)}`;
      if (slower.length === 0) return [where];
      const next = slower.map(({ directory }) => printable(directory)).join(', ');
      return [`${where}; when that is full, in ${next}`];
    },
  };
}

async function promisedBelow(root: string, others: readonly KeepOrder[]): Promise<number> {
  let bytes = 0;
  for (const { scratch } of others) {
    if (scratch === null || scratch.maxBytes === null || !scratch.directory.startsWith(`${root}/`)) continue;
    const until = performance.now() + COUNT_MS;
    const used = await usedIn(scratch.directory, () => performance.now() > until).catch(() => 0);
    bytes += Math.max(0, scratch.maxBytes - used);
  }
  return bytes;
}

function leftIn({ freeBytes, promisedBytes }: Room): number {
  return freeBytes - promisedBytes;
}

function noRoom({ disk, freeBytes, promisedBytes }: Room, maxBytes: number | null): string {
  const wants = maxBytes === null ? '' : `it asks for ${formatBytes(maxBytes)}, and `;
  const promised =
    promisedBytes === 0 ? '' : `, of which ${formatBytes(promisedBytes)} are promised to other jobs`;
  const free = `${formatBytes(freeBytes)} are free in ${printable(disk.directory)}${promised}`;
  return `there is no room for its scratch directory: ${wants}${free}`;
}

function removeIfEmpty(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}
