/**
 * Where a yard's attempts have what goes when they do: a directory on local disk that is this yard's and this user's
 * alone. Where somebody else was there first, it is in the yard's own directory.
 */

import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { errorWords } from '../platform/files.ts';
import { whyNotPrivate } from './directory.ts';

export interface TemporaryPlace {
  /** The yard's own directory. */
  readonly directory: string;
  readonly uid: number;
  /** /tmp; not TMPDIR, which is another one inside a job, and that may be where a yard is started from. */
  readonly shared: string;
}

/**
 * Made by whoever needs it, for nobody else to look into. Short, since sockets are put below it; the same at every
 * start in the same place.
 */
export function temporaryDirOf(
  { directory, uid, shared }: TemporaryPlace,
  log: (line: string) => void,
): string {
  // One level only: what is in between could go, and come back as somebody else's.
  const path = `${shared}/${ownNameOf({ directory, uid })}`;
  const why = whyUnusable(path, uid);
  if (why === null) return path;
  const own = `${directory}/tmp`;
  log(`${path} cannot be used: ${why}; what jobs need for a while is in ${own}`);
  return own;
}

/** What is this yard's and this user's alone is called so wherever others have something too. */
export function ownNameOf({ directory, uid }: Omit<TemporaryPlace, 'shared'>): string {
  return `yard-${uid}-${createHash('sha256').update(directory).digest('hex').slice(0, 8)}`;
}

function whyUnusable(path: string, uid: number): string | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? null : whyNotPrivate(stats, uid);
  } catch (error) {
    return errorWords(error);
  }
}
