/**
 * Whether a program that failed says at the end of its output that the memory of a GPU was not enough: frameworks have
 * no exit code for it. Only what this attempt has written counts, as far as that can be told, since a run before it
 * may have said the same in the same file.
 */

import { constants, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { saysOutOfDeviceMemory, TAIL_BYTES } from '../telemetry/oom.ts';
import { truncatesOutput } from './launch.ts';
import { holdsDevices, isForCaller, type LiveAttempt, type LiveRank } from './live.ts';

/** Of a job with many ranks, the one that failed first is likely to know. */
const MOST_FILES = 32;
const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;

/** How long its output files are before it starts; none where it does not matter. */
export function outputStartsOf(live: LiveAttempt): ReadonlyMap<string, number> {
  const { job, attempt } = live;
  if (!holdsDevices(live) || truncatesOutput(job, attempt)) return new Map();
  return new Map(
    outputsOf(live.ranks).flatMap((path): [string, number][] => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() === true && found.size > 0 ? [[path, found.size]] : [];
    }),
  );
}

/** To be asked when nobody of it is left. */
export async function saysItRanOut(live: LiveAttempt): Promise<boolean> {
  const { failed } = live;
  if (failed === null || !holdsDevices(live) || isForCaller(live) || live.overMemory) return false;
  if (failed.end?.kind !== 'recorded' || failed.end.record.status === null) return false;
  // Whoever was made to end may have said anything on the way.
  if (live.killing || (live.askedBy !== null && failed.signalled)) return false;
  const paths = outputsOf([failed, ...live.ranks]).slice(0, MOST_FILES);
  for (const path of paths) {
    const tail = await tailOf(path, live.outputStarts.get(path) ?? 0);
    if (tail !== null && saysOutOfDeviceMemory(tail)) return true;
  }
  return false;
}

function outputsOf(ranks: readonly LiveRank[]): readonly string[] {
  return [...new Set(ranks.flatMap(({ place: { streams } }) => [streams.stderr, streams.stdout]))];
}

/** Null when it is no plain file, or cannot be read: then nobody knows. */
async function tailOf(path: string, start: number): Promise<Uint8Array | null> {
  try {
    const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    try {
      const found = await file.stat();
      if (!found.isFile()) return null;
      // One that is shorter than it was has been written anew.
      const from = Math.max(start > found.size ? 0 : start, found.size - TAIL_BYTES);
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(found.size - from),
        0,
        found.size - from,
        from,
      );
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
