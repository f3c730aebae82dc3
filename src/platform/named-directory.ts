/**
 * The directory that a person named, opened by descriptor. Each component is opened in the one before it, so that nobody
 * can change what the path means half-way. A link on the way is followed only where nobody else can have put it there:
 * whoever shares a directory could otherwise lead its other users anywhere. Everything waits in threads, since the
 * directory may be on a server that does not answer.
 */

import { closeSync, constants, fstat, open, type Stats } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { printable, textFromBytes } from '../model/bytes.ts';
import { type DirectoryHandle, handleOf, O_PATH } from './directory.ts';
import { isErrno } from './files.ts';
import { onDisk } from './path-bytes.ts';

/** A path that somebody else could have changed; the message says where and what to do. */
export class UntrustedPath extends Error {}

const openFile = promisify(open);
const statFile = promisify(fstat) as (fd: number) => Promise<Stats>;

/** Such a descriptor is closed at once: no server hears of it. */
const STEP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** As many as the kernel follows. */
const MAX_LINKS = 40;
const STICKY = 0o1000;

/**
 * Throws as `open` does, or UntrustedPath. With a mode, what is missing of the path is made, with exactly these
 * permissions; what is there stays as it is.
 */
export async function openNamedDirectory(
  path: string,
  makeMode: number | null = null,
): Promise<DirectoryHandle> {
  const walk = await walkTo(path, makeMode);
  try {
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    return handleOf(await openFile(`/proc/self/fd/${walk}/.`, flags), path);
  } finally {
    closeSync(walk);
  }
}

/** As openDirectoryIn, without keeping this thread waiting for a server. */
export async function enterDirectory(parent: DirectoryHandle, name: string): Promise<DirectoryHandle> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  return handleOf(await openFile(onDisk(parent.entry(name)), flags), `${parent.path}/${name}`);
}

/** As the handle's own, without keeping this thread waiting for a server. */
export function statDirectory({ fd }: DirectoryHandle): Promise<Stats> {
  return statFile(fd);
}

/** Whether others than the user and root can change this, or put something else in its place. */
export function isOthersToWrite({ uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>): boolean {
  const me = process.geteuid?.() ?? 0;
  if (uid !== me && uid !== 0) return true;
  // A group with the number of its user is, by custom, that user's alone.
  const isGroups = (mode & 0o020) !== 0 && gid !== 0 && gid !== me;
  return isGroups || (mode & 0o002) !== 0;
}

async function walkTo(path: string, makeMode: number | null): Promise<number> {
  const left = componentsOf(path).reverse();
  let here = await openFile('/', STEP);
  let links = 0;
  try {
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const next = await step(here, name, path, makeMode);
      if (typeof next === 'number') {
        const before = here;
        here = next;
        closeSync(before);
        continue;
      }
      if (++links > MAX_LINKS) throw Object.assign(new Error(`ELOOP: ${path}`), { code: 'ELOOP' });
      if (next.startsWith('/')) {
        const before = here;
        here = await openFile('/', STEP);
        closeSync(before);
      }
      left.push(...componentsOf(next).reverse());
    }
    return here;
  } catch (error) {
    closeSync(here);
    throw error;
  }
}

/** The descriptor of the next directory, or where the link leads that is there. */
async function step(
  here: number,
  name: string,
  path: string,
  makeMode: number | null,
): Promise<number | string> {
  const entry = onDisk(`/proc/self/fd/${here}/${name}`);
  try {
    return await openFile(entry, STEP);
  } catch (error) {
    if (isErrno(error, 'ENOENT') && makeMode !== null) return made(entry, makeMode);
    // A link that is not to be followed is no directory.
    if (!isErrno(error, 'ENOTDIR') && !isErrno(error, 'ELOOP')) throw error;
    const found = await lstat(entry);
    if (!found.isSymbolicLink()) throw error;
    if (await isPutByOthers(here, found))
      throw new UntrustedPath(
        `${printable(name)} in ${printable(path)} is a symbolic link that another user may have put there: ` +
          'name the directory that it leads to',
      );
    return textFromBytes(await readlink(entry, { encoding: 'buffer' }));
  }
}

/** Whoever may write to the directory around a link can exchange it, but in a sticky one only the link's owner can. */
async function isPutByOthers(directory: number, link: Stats): Promise<boolean> {
  const around = await statFile(directory);
  const me = process.geteuid?.() ?? 0;
  if (link.uid !== me && link.uid !== 0) return true;
  if (!isOthersToWrite(around)) return false;
  return (around.mode & STICKY) === 0 || (around.uid !== me && around.uid !== 0);
}

async function made(entry: string | Buffer, mode: number): Promise<number> {
  try {
    await mkdir(entry, 0o700);
  } catch (error) {
    // Somebody was faster: it is theirs, and stays as it is.
    if (!isErrno(error, 'EEXIST')) throw error;
    return openFile(entry, STEP);
  }
  const fd = await openFile(entry, STEP);
  try {
    // The mode of something else that was put there by now is not widened: what is new is empty.
    if ((await readdir(`/proc/self/fd/${fd}/.`)).length === 0) await chmod(`/proc/self/fd/${fd}`, mode);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function componentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
