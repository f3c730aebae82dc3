/**
 * File calls that reach nothing outside some open directories. A path is taken apart: the directory at its beginning is
 * one of those that are open, every component after that is opened in the one before it, and no link is followed. So
 * nobody who can write there leads a copy, a restore or a removal elsewhere, whatever a manifest says and whatever is
 * swapped meanwhile. Directories stay open for a while: thousands of files in one of them are reached with one walk.
 */

import { close, closeSync, constants, open, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { type DirectoryHandle, isPlainName, O_PATH } from '../../platform/directory.ts';
import { isErrno } from '../../platform/files.ts';
import { onDisk } from '../../platform/path-bytes.ts';
import type { Awaitable, FileCalls } from './file-calls.ts';

/** An open directory, and the path by which calls name it. */
export interface Root {
  readonly path: string;
  readonly handle: DirectoryHandle;
}

export interface Confinement {
  /** The same calls, for paths below the roots only. */
  confined(calls: FileCalls): FileCalls;
  /** Closes what was opened on the way; the roots stay open. */
  close(): void;
}

interface Opened {
  readonly path: string;
  readonly fd: number;
  users: number;
  isForgotten: boolean;
}

const STEP = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** So many stay open while nobody uses them. */
const MAX_IDLE = 64;

const openLater = promisify(open);

/** `isLocal`: opening a directory there is over at once, and is not given to a thread. */
export function confineTo(roots: readonly Root[], isLocal: boolean): Confinement {
  const opened = new Map<string, Opened>();
  const rootAt = new Map(roots.map(({ path, handle }) => [path, handle.fd]));

  const openStep = (path: string): Awaitable<number> =>
    isLocal ? openSync(onDisk(path), STEP) : openLater(onDisk(path), STEP);
  const closeStep = (fd: number) => (isLocal ? closeSync(fd) : close(fd, () => {}));

  /** Whoever enters a directory leaves it again: until then its descriptor is not closed. */
  async function enter(directory: string): Promise<Opened> {
    const root = rootAt.get(directory);
    if (root !== undefined) return { path: directory, fd: root, users: 1, isForgotten: false };
    const known = opened.get(directory);
    if (known !== undefined) {
      known.users++;
      return known;
    }
    const [above, name] = partsOf(directory);
    const fd = await within(above, (parent) => openStep(`/proc/self/fd/${parent}/${name}`));
    const meanwhile = opened.get(directory);
    if (meanwhile !== undefined) {
      closeStep(fd);
      meanwhile.users++;
      return meanwhile;
    }
    const entered = { path: directory, fd, users: 1, isForgotten: false };
    opened.set(directory, entered);
    if (opened.size > MAX_IDLE) forget(({ users }) => users === 0);
    return entered;
  }

  function leave(entered: Opened): void {
    entered.users--;
    if (entered.isForgotten && entered.users === 0) closeStep(entered.fd);
  }

  async function within<Result>(directory: string, use: (fd: number) => Awaitable<Result>): Promise<Result> {
    const entered = await enter(directory);
    try {
      return await use(entered.fd);
    } finally {
      leave(entered);
    }
  }

  function forget(which: (one: Opened) => boolean): void {
    for (const one of opened.values()) {
      if (!which(one)) continue;
      opened.delete(one.path);
      one.isForgotten = true;
      if (one.users === 0) closeStep(one.fd);
    }
  }

  /** What is there from now on may be another directory. */
  function forgetBelow(path: string): void {
    forget((one) => one.path === path || one.path.startsWith(`${path}/`));
  }

  /** The entry itself: a path that ends in a plain name of an open directory. */
  function at<Result>(path: string, use: (reached: string) => Awaitable<Result>): Promise<Result> {
    const [above, name] = partsOf(path);
    return within(above, (fd) => use(`/proc/self/fd/${fd}/${name}`));
  }

  /** What a directory itself is asked: also one of the roots, of which the name does not count any more. */
  function inside<Result>(path: string, use: (reached: string) => Awaitable<Result>): Promise<Result> {
    return within(path, (fd) => use(`/proc/self/fd/${fd}/.`));
  }

  function confined(calls: FileCalls): FileCalls {
    const both = (one: string, other: string, use: (one: string, other: string) => Awaitable<void>) =>
      at(one, (reached) => at(other, (reachedToo) => use(reached, reachedToo)));
    return {
      ...calls,
      open: (path, flags, mode) =>
        rootAt.has(path)
          ? inside(path, (reached) => calls.open(reached, flags | constants.O_DIRECTORY, mode))
          : at(path, (reached) => calls.open(reached, flags | constants.O_NOFOLLOW, mode)),
      look: (path) =>
        (rootAt.has(path) ? inside : at)(path, (reached) => calls.look(reached)).catch(nullIfMissing),
      names: (path) => inside(path, (reached) => calls.names(reached)),
      readLink: (path) => at(path, (reached) => calls.readLink(reached)),
      makeDirectory: (path) => makeDirectory(calls, path),
      makeLink: (target, path) => at(path, (reached) => calls.makeLink(target, reached)),
      nameAlso: (path, other) => both(path, other, (one, two) => calls.nameAlso(one, two)),
      async rename(from, to) {
        try {
          await both(from, to, (one, two) => calls.rename(one, two));
        } finally {
          forgetBelow(from);
          forgetBelow(to);
        }
      },
      async exchange(one, other) {
        try {
          return await at(one, (first) => at(other, (second) => calls.exchange(first, second)));
        } finally {
          forgetBelow(one);
          forgetBelow(other);
        }
      },
      remove: (path) => at(path, (reached) => calls.remove(reached)),
      async removeDirectory(path) {
        forgetBelow(path);
        await at(path, (reached) => calls.removeDirectory(reached));
      },
      permit: (path, mode) => at(path, (reached) => permit(calls, reached, mode)),
      date: (path, mtimeMs) => at(path, (reached) => calls.date(reached, mtimeMs)),
    };
  }

  async function makeDirectory(calls: FileCalls, path: string): Promise<void> {
    if (rootAt.has(path)) return;
    try {
      await at(path, (reached) => calls.makeDirectory(reached));
    } catch (error) {
      const [above] = partsOf(path);
      if (!isErrno(error, 'ENOENT') || rootAt.has(above)) throw error;
      await makeDirectory(calls, above);
      await at(path, (reached) => calls.makeDirectory(reached));
    }
  }

  return { confined, close: () => forget(() => true) };
}

/** Changing permissions follows links, so it is said which entry is meant before. */
async function permit(calls: FileCalls, reached: string, mode: number): Promise<void> {
  const fd = await calls.open(reached, O_PATH | constants.O_NOFOLLOW);
  try {
    if ((await calls.statOf(fd)).isSymbolicLink())
      throw Object.assign(new Error(`ELOOP: ${reached}`), { code: 'ELOOP' });
    await calls.permit(`/proc/self/fd/${fd}`, mode);
  } finally {
    await calls.close(fd);
  }
}

function partsOf(path: string): readonly [above: string, name: string] {
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  if (slash <= 0 || !isPlainName(name)) throw new Error(`${JSON.stringify(path)} leads out of a directory`);
  return [path.slice(0, slash), name];
}

function nullIfMissing(error: unknown): null {
  if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return null;
  throw error;
}
