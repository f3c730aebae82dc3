/**
 * Limits of a process as the kernel shows them (/proc/PID/limits), as the values that a POSIX shell's `ulimit`
 * takes: -f and -c count blocks of 512 bytes, the other sizes KiB. Only limits for which dash, bash and busybox
 * have the same letter are here. libexec/command.pl has the same table.
 */

import { readFileSync } from 'node:fs';

const LETTERS: Readonly<Record<string, readonly [letter: string, unitBytes: bigint]>> = {
  'cpu time': ['t', 1n],
  'file size': ['f', 512n],
  'data size': ['d', 1024n],
  'stack size': ['s', 1024n],
  'core file size': ['c', 512n],
  'resident set': ['m', 1024n],
  'open files': ['n', 1n],
  'locked memory': ['l', 1024n],
  'address space': ['v', 1024n],
  'realtime priority': ['r', 1n],
};

/** Letter → soft value. */
export function ulimitsFrom(procLimits: string): Readonly<Record<string, string>> {
  const ulimits: Record<string, string> = {};
  for (const [, name, soft] of procLimits.matchAll(/^Max (.*?) +(unlimited|\d+) /gm)) {
    const known = LETTERS[name as string];
    if (known === undefined) continue;
    const [letter, unitBytes] = known;
    ulimits[letter] = soft === 'unlimited' ? soft : `${BigInt(soft as string) / unitBytes}`;
  }
  return ulimits;
}

/** The soft limits that this process would hand on. */
export function ownUlimits(): Readonly<Record<string, string>> {
  return ulimitsFrom(readFileSync('/proc/self/limits', 'latin1'));
}
