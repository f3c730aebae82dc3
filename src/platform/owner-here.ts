/**
 * Who owns what this process makes in a directory. On a local disk that is its user. A server may give everything to one
 * and the same user, whoever makes it: that is found out by making a file there.
 */

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, statfs, unlink } from 'node:fs/promises';
import type { DirectoryHandle } from './directory.ts';
import { kindOfMagic } from './file-systems.ts';
import { statDirectory } from './named-directory.ts';

/** By device: it does not change while something is mounted. */
const known = new Map<number, number>();

/** The users whose files can be taken for one's own there: oneself, root, and whom a server gives one's files to. */
export async function ownersOn(directory: DirectoryHandle): Promise<ReadonlySet<number>> {
  return new Set([0, me(), await ownerOfNewFiles(directory)]);
}

export async function ownerOfNewFiles(directory: DirectoryHandle): Promise<number> {
  const { dev, uid } = await statDirectory(directory);
  // Nobody is asked where the directory itself shows it.
  if (uid === me() || (await isLocal(directory))) return me();
  const before = known.get(dev);
  if (before !== undefined) return before;
  const owner = await ownerOfProbe(directory);
  known.set(dev, owner);
  return owner;
}

/** The descriptor tells, not the name: somebody else could have put another file there by then. */
async function ownerOfProbe(directory: DirectoryHandle): Promise<number> {
  const path = directory.entry(`.trainyard-owner-${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      return (await file.stat()).uid;
    } finally {
      await file.close();
      await unlink(path);
    }
  } catch {
    return me();
  }
}

async function isLocal({ fd }: DirectoryHandle): Promise<boolean> {
  try {
    return kindOfMagic((await statfs(`/proc/self/fd/${fd}`)).type).where === 'local';
  } catch {
    return true;
  }
}

function me(): number {
  return process.geteuid?.() ?? 0;
}
