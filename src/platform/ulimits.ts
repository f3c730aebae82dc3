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

export type Ulimits = Readonly<Record<string, string>>;

const UNLIMITED = 'unlimited';

/** Letter → soft value. */
export function ulimitsFrom(procLimits: string): Ulimits {
  return limitsIn(procLimits, 'soft');
}

/** The soft limits that this process would hand on. */
export function ownUlimits(): Ulimits {
  return limitsIn(ownLimits(), 'soft');
}

/** The most that this process could hand on. */
export function ownHardUlimits(): Ulimits {
  return limitsIn(ownLimits(), 'hard');
}

/** How many files this process may have open at once; Node has raised that as far as it may. */
export function openFilesLimit(): number {
  const { n = UNLIMITED } = ownUlimits();
  return n === UNLIMITED ? Number.POSITIVE_INFINITY : Number(n);
}

/** No number: unlimited. */
export function isMore(value: string, than: string): boolean {
  if (than === UNLIMITED) return false;
  return value === UNLIMITED || BigInt(value) > BigInt(than);
}

function ownLimits(): string {
  return readFileSync('/proc/self/limits', 'latin1');
}

function limitsIn(procLimits: string, which: 'soft' | 'hard'): Ulimits {
  const ulimits: Record<string, string> = {};
  for (const [, name, soft, hard] of procLimits.matchAll(LINE)) {
    const known = LETTERS[name as string];
    if (known === undefined) continue;
    const [letter, unitBytes] = known;
    const value = (which === 'soft' ? soft : hard) as string;
    ulimits[letter] = value === UNLIMITED ? value : `${BigInt(value) / unitBytes}`;
  }
  return ulimits;
}

const LINE = /^Max (.*?) +(unlimited|\d+) +(unlimited|\d+) /gm;
