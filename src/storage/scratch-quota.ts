/**
 * How much is in a scratch directory that may hold only so much. It is counted now and then: the larger it is, the more
 * seldom, so that counting takes a small part of the time only. What follows is for others to decide.
 */

import { lstat, readdir } from 'node:fs/promises';
import { textFromBytes } from '../model/bytes.ts';
import { isErrno } from '../platform/files.ts';
import { onDisk } from '../platform/path-bytes.ts';

export interface ScratchWatch {
  stop(): void;
}

export interface ScratchWatchOptions {
  readonly directory: string;
  readonly maxBytes: number;
  /** Called once. */
  readonly over: (usedBytes: number) => void;
  readonly log: (line: string) => void;
  readonly soonestMs: number;
}

/** Counting takes one part in so many of the time. */
const SHARE = 50;
const BLOCK_BYTES = 512;

export function watchScratch({
  directory,
  maxBytes,
  over,
  log,
  soonestMs,
}: ScratchWatchOptions): ScratchWatch {
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;

  const later = (delayMs: number) => {
    if (isStopped) return;
    timer = setTimeout(() => void look(), delayMs);
    timer.unref();
  };
  const look = async () => {
    const startedAt = performance.now();
    const usedBytes = await usedIn(directory, () => isStopped).catch((error: unknown) => {
      log(`cannot count what is in ${directory}: ${String(error)}`);
      return 0;
    });
    if (isStopped) return;
    if (usedBytes > maxBytes) return over(usedBytes);
    later(Math.max(soonestMs, (performance.now() - startedAt) * SHARE));
  };
  later(soonestMs);
  return {
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** What it takes on its disk: a file with two names counts once, and a hole in a file takes nothing. */
export async function usedIn(directory: string, isStopped: () => boolean = () => false): Promise<number> {
  const linked = new Set<string>();
  const waiting = [directory];
  let bytes = 0;
  for (;;) {
    const next = waiting.pop();
    if (next === undefined || isStopped()) return bytes;
    for (const name of await namesIn(next)) {
      if (isStopped()) return bytes;
      const path = `${next}/${name}`;
      const found = await lstat(onDisk(path)).catch(() => null);
      // Gone since it was listed.
      if (found === null) continue;
      if (found.isDirectory()) waiting.push(path);
      else if (found.nlink > 1) {
        const identity = `${found.dev}:${found.ino}`;
        if (linked.has(identity)) continue;
        linked.add(identity);
      }
      bytes += found.blocks * BLOCK_BYTES;
    }
  }
}

/** A directory that is gone, or that its program has closed to us, holds nothing that can be counted. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(onDisk(directory), { encoding: 'buffer' })).map(textFromBytes);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].some((code) => isErrno(error, code))) return [];
    throw error;
  }
}
