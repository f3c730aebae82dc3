/**
 * Where a yard's attempts have what goes when they do, such as a TMPDIR: a directory of this yard and this user alone.
 *
 * It is in /tmp, although others can make directories there too. XDG_RUNTIME_DIR goes when its user logs out, while jobs
 * go on, and it is small and in memory. The yard's own directory may be on a network or have a quota, and its path is
 * often too long for the sockets that programs put below TMPDIR. It serves only where /tmp cannot.
 */

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { whyNotSafeToMakeIn } from '../platform/directory.ts';
import { errorWords } from '../platform/files.ts';
import {
  type NameMemory,
  NO_MEMORY,
  type PrivateDirectory,
  privateDirectory,
} from '../platform/private-directory.ts';

export interface TemporaryPlace {
  /** The yard's own directory. */
  readonly directory: string;
  readonly uid: number;
  readonly yardId: string;
  /** /tmp; not TMPDIR, which is another one inside a job, and that may be where a yard is started from. */
  readonly shared: string;
  readonly memory: NameMemory;
  readonly log: (line: string) => void;
}

export function temporaryDirOf(place: TemporaryPlace): PrivateDirectory {
  const { directory, shared, memory, log } = place;
  const inShared = privateDirectory({ parent: shared, name: ownNameOf(place), memory, log });
  const inYard = privateDirectory({ parent: directory, name: 'tmp', memory: NO_MEMORY, log });
  const why = whyUnusable(shared, place.uid, inShared);
  if (why !== null)
    log(`${shared} cannot be used: ${why}; what jobs need for a while is in ${directory}/tmp`);
  const chosen = why === null ? inShared : inYard;
  // What an earlier daemon made may be in the other one.
  return { ...chosen, find: (path) => inShared.find(path) ?? inYard.find(path) };
}

/** What is this yard's and this user's alone is called so wherever others have something too. A copy of a yard has another. */
export function ownNameOf({ uid, yardId }: Pick<TemporaryPlace, 'uid' | 'yardId'>): string {
  return `yard-${uid}-${createHash('sha256').update(yardId).digest('hex').slice(0, 8)}`;
}

function whyUnusable(shared: string, uid: number, own: PrivateDirectory): string | null {
  try {
    const why = whyNotSafeToMakeIn(statSync(shared), uid);
    if (why === null) own.open().close();
    return why;
  } catch (error) {
    return errorWords(error);
  }
}
