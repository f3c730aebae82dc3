/**
 * Directories of one attempt each on the fastest local disk that has room. Which attempts have one is noted by others;
 * what is in them is their programs' business.
 */

import { dirname } from 'node:path';
import { printable } from '../model/bytes.ts';
import type { AttemptId } from '../model/ids.ts';
import { Fault } from '../model/refusal.ts';
import { formatBytes } from '../model/units.ts';
import { errorWords } from '../platform/files.ts';
import { DISK_WORDS, freeBytesIn, type LocalDisk, speedOf } from '../platform/local-disks.ts';
import {
  makeBelow,
  type PathBelow,
  type PrivateDirectory,
  removeBelow,
  removeEmptyAbove,
} from '../platform/private-directory.ts';
import type { KeepOrder } from '../storage/keeper.ts';
import { usedIn } from '../storage/scratch-quota.ts';

export interface ScratchPlaces {
  /** Fastest first. */
  readonly disks: readonly LocalDisk[];
  /** What is ours in a directory; everything is below that. */
  readonly ownIn: (directory: string) => PrivateDirectory;
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
  /** Safe to repeat. One that is not in a directory of ours is left alone. */
  remove(directory: string): Promise<void>;
  remarks(): readonly string[];
}

/** Counting what somebody else has used takes no longer; what was not counted by then counts as promised. */
const COUNT_MS = 1000;

interface Room {
  readonly disk: LocalDisk;
  readonly own: PrivateDirectory;
  readonly freeBytes: number;
  readonly promisedBytes: number;
}

export function createScratch({ disks, ownIn }: ScratchPlaces, log: (line: string) => void): Scratch {
  /** One after the other, so that two do not find the same room. */
  let lastChoice: Promise<unknown> = Promise.resolve();

  async function roomOn(disk: LocalDisk, others: readonly KeepOrder[]): Promise<Room | string> {
    try {
      const own = ownIn(disk.directory);
      const freeBytes = await freeBytesIn(disk.directory);
      return { disk, own, freeBytes, promisedBytes: await promisedBelow(own, others) };
    } catch (error) {
      return `${printable(disk.directory)}: ${errorWords(error)}`;
    }
  }

  /** It may be on a disk that was used before. */
  function find(directory: string): PathBelow | null {
    const disk = dirname(dirname(dirname(directory)));
    return ownIn(disk).find(directory);
  }

  async function rootWithRoom(maxBytes: number | null, others: readonly KeepOrder[]): Promise<string> {
    const looks = await Promise.all(disks.map((disk) => roomOn(disk, others)));
    const troubles = looks.filter((look) => typeof look === 'string');
    const rooms = looks.filter((look) => typeof look !== 'string');
    rooms.sort((a, b) => speedOf(a.disk) - speedOf(b.disk) || b.freeBytes - a.freeBytes);
    for (const room of rooms.filter((each) => leftIn(each) >= Math.max(1, maxBytes ?? 0))) {
      const root = madeRoot(room);
      if ('path' in root) return root.path;
      troubles.unshift(root.why);
    }
    const most = rooms.sort((a, b) => leftIn(b) - leftIn(a))[0];
    if (most !== undefined && leftIn(most) < Math.max(1, maxBytes ?? 0))
      throw new Fault(noRoom(most, maxBytes), true);
    const why = troubles[0] ?? 'there is no local disk for it';
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
      try {
        const found = find(directory);
        if (found === null) throw new Error('it is in no scratch directory of this yard');
        makeBelow(found).close();
      } catch (error) {
        throw new Fault(
          `cannot make its scratch directory ${printable(directory)}: ${errorWords(error)}`,
          true,
          { cause: error },
        );
      }
    },
    async remove(directory) {
      const found = find(directory);
      if (found === null) {
        log(`${printable(directory)} is in no scratch directory of this yard: it is left alone`);
        return;
      }
      await removeBelow(found);
      removeEmptyAbove(found);
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

async function promisedBelow(own: PrivateDirectory, others: readonly KeepOrder[]): Promise<number> {
  let bytes = 0;
  for (const { scratch } of others) {
    if (scratch === null || scratch.maxBytes === null || own.find(scratch.directory) === null) continue;
    const until = performance.now() + COUNT_MS;
    const used = await usedIn(scratch.directory, () => performance.now() > until).catch(() => 0);
    bytes += Math.max(0, scratch.maxBytes - used);
  }
  return bytes;
}

function madeRoot({ disk, own }: Room): { readonly path: string } | { readonly why: string } {
  try {
    return { path: own.path() };
  } catch (error) {
    return { why: `${printable(disk.directory)}: ${errorWords(error)}` };
  }
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
