/**
 * Whether a directory may hold a yard of this user. A yard runs what its directory says as the user who starts it, so
 * nobody else may have written it. It is verified by descriptor, and nothing is made or changed in a directory of
 * another user, not even to find out whether that is possible.
 */

import { fchmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DirectoryHandle, openDirectory } from '../platform/directory.ts';
import { isErrno } from '../platform/files.ts';
import { userNames } from './identity.ts';

export interface OwnedPlace {
  readonly path: string;
  /** Others may write beside it, so that a link there may be anybody's. */
  readonly inSharedDirectory: boolean;
  /** Somebody named it. */
  readonly isNamed: boolean;
}

/** Why a directory cannot be used, and what to do instead. */
export class NotOwnDirectory extends Error {
  readonly hint: string;

  constructor(why: string, hint: string) {
    super(why);
    this.hint = hint;
  }
}

/** Makes it if there is none. The caller closes it. Throws when it cannot be used, mostly a NotOwnDirectory. */
export function openYardDirectory(place: OwnedPlace, uid: number): DirectoryHandle {
  const directory = openIfThere(place) ?? make(place, uid);
  try {
    const { uid: owner } = directory.stat();
    if (owner !== uid) throw belongsTo(owner);
    closeToOthers(directory, place, uid);
    return directory;
  } catch (error) {
    directory.close();
    throw error;
  }
}

/** Where others can put links, none is followed. */
function openIfThere({ path, inSharedDirectory }: OwnedPlace): DirectoryHandle | null {
  try {
    return openDirectory(inSharedDirectory ? path : realpathSync(path));
  } catch (error) {
    if (isErrno(error, 'ENOENT') && lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true && inSharedDirectory)
      throw new NotOwnDirectory('it is a symbolic link, which anybody could have put there', ANOTHER);
    throw error;
  }
}

function make(place: OwnedPlace, uid: number): DirectoryHandle {
  checkWhereItWouldBe(place, uid);
  makeDirectories(place.path);
  return openDirectory(place.inSharedDirectory ? place.path : realpathSync(place.path));
}

/** Whoever can rename a directory above it has the yard; and root leaves nothing of its own in the homes of others. */
function checkWhereItWouldBe({ path, isNamed }: OwnedPlace, uid: number): void {
  const above = nearestAbove(path);
  const { uid: owner, mode } = statSync(above);
  const isForeign = owner !== uid && owner !== 0;
  if (isForeign && (uid === 0 || !isNamed))
    throw new NotOwnDirectory(`it would be in ${above}, which belongs to ${nameOf(owner)}`, asOwner(owner));
  if (!isNamed && (mode & 0o1002) === 0o002)
    throw new NotOwnDirectory(`it would be in ${above}, in which others may rename everything`, ANOTHER);
}

function nearestAbove(path: string): string {
  const above = dirname(path);
  return above === path || statSync(above, { throwIfNoEntry: false }) !== undefined
    ? above
    : nearestAbove(above);
}

/** Not Node's own recursive one: where the kernel answers "no such file" to a mkdir (/proc, autofs) it never ends. */
function makeDirectories(path: string): void {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return;
    if (!isErrno(error, 'ENOENT') || lstatSync(dirname(path), { throwIfNoEntry: false }) !== undefined)
      throw error;
    makeDirectories(dirname(path));
    mkdirSync(path, 0o700);
  }
}

/**
 * A directory that others could write to is closed to them; unless they have put something there, which would be run as
 * this user.
 */
function closeToOthers(directory: DirectoryHandle, { inSharedDirectory }: OwnedPlace, uid: number): void {
  const { mode } = directory.stat();
  const others = inSharedDirectory ? 0o077 : 0o022;
  if ((mode & others) === 0) return;
  if ((mode & 0o022) !== 0) {
    const foreign = readdirSync(`/proc/self/fd/${directory.fd}`).find(
      (name) => !isOurs(directory, name, uid),
    );
    if (foreign !== undefined) {
      const why = `other users may write to it, and ${JSON.stringify(foreign)} in it is not yours`;
      throw new NotOwnDirectory(why, 'look at what is in it, or name another directory with TRAINYARD_DIR');
    }
  }
  fchmodSync(directory.fd, 0o700);
}

function isOurs(directory: DirectoryHandle, name: string, uid: number): boolean {
  const owner = lstatSync(directory.entry(name), { throwIfNoEntry: false })?.uid ?? uid;
  return owner === uid || owner === 0;
}

function belongsTo(owner: number): NotOwnDirectory {
  const why = `it belongs to ${nameOf(owner)}, and a yard runs its jobs as the user who starts it`;
  return new NotOwnDirectory(why, asOwner(owner));
}

const ANOTHER = 'name another directory with TRAINYARD_DIR';

function asOwner(owner: number): string {
  const name = userNames()(owner);
  const user = /^\d+$/.test(name) ? `'#${name}'` : name;
  return `run the command as that user (sudo -u ${user} trainyard …), or name a directory of your own with TRAINYARD_DIR`;
}

function nameOf(uid: number): string {
  const name = userNames()(uid);
  return name === `${uid}` ? `another user (${uid})` : `another user (${name})`;
}
