/**
 * Whether anybody may still write to a file. The kernel's word (a lease) is best; where it gives none, /proc shows the
 * writers of this machine that this user may see; and what neither can tell is said to be unknown, so that the caller
 * waits for quiet instead. Must not know what is in the file.
 */

import { closeSync, fstatSync } from 'node:fs';
import { fileSystemKind } from '../platform/file-systems.ts';
import { whyNoReadLease } from '../platform/leases.ts';
import { fileKey, filesOpenForWriting } from '../platform/open-files.ts';

/** `unknown`: no writer is to be seen, but there may be one that cannot be. */
export type Openness = 'writing' | 'closed' | 'unknown';

/** For one look at many files: /proc is read at most once, and only when it is needed. */
export function createOpennessCheck(
  openFile: (path: string) => Promise<number>,
  leaseOf: (fd: number) => string | null = whyNoReadLease,
): (path: string) => Promise<Openness> {
  let writable: ReadonlySet<string> | null = null;
  return async (path) => {
    let fd: number;
    try {
      fd = await openFile(path);
    } catch {
      return 'unknown';
    }
    try {
      const why = leaseOf(fd);
      if (why === null) return 'closed';
      // File systems of the network answer the same when their server has promised them nothing.
      if (why === 'EAGAIN' && fileSystemKind(`/proc/self/fd/${fd}`).where === 'local') return 'writing';
      writable ??= filesOpenForWriting();
      return writable.has(fileKey(fstatSync(fd))) ? 'writing' : 'unknown';
    } finally {
      closeSync(fd);
    }
  };
}
