/**
 * For tests: whether a process that was told to stop has. A shell that was just starting a program is not itself stopped: it
 * waits in the kernel for a child that was stopped before it had become that program, and goes no further either.
 */

import { readlinkSync } from 'node:fs';
import { childrenOf, processInfo } from '../src/platform/processes.ts';

export function standsStill(pid: number): boolean {
  const state = processInfo(pid)?.state;
  if (state === 'T') return true;
  return state === 'D' && childrenOf(pid).some((child) => isStoppedCopy(child, pid));
}

/** It still is what its parent is. */
function isStoppedCopy(child: number, parent: number): boolean {
  try {
    const isCopy = readlinkSync(`/proc/${child}/exe`) === readlinkSync(`/proc/${parent}/exe`);
    return isCopy && processInfo(child)?.state === 'T';
  } catch {
    return false;
  }
}
