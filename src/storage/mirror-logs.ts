/**
 * Logs, copied as they are: what grows is copied too, as far as it had come, and again when it has changed. A copy has
 * its name only when it is whole. Nothing is ever removed where they last, and what an earlier run left under the same
 * name is put beside it. Both directories and all below them are open while they are used, and no link is followed, since
 * others may be able to write to either. Does not know when it is done (keep-attempt.ts) or what is in the files.
 */

import { constants, fchmod, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readlink, rename, symlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { printable, textFromBytes } from '../model/bytes.ts';
import type { AttemptId } from '../model/ids.ts';
import type { LogsKept } from '../model/keeping.ts';
import type { DirectoryHandle } from '../platform/directory.ts';
import { errorWords, isErrno } from '../platform/files.ts';
import { enterDirectory, openNamedDirectory, statDirectory } from '../platform/named-directory.ts';
import { onDisk } from '../platform/path-bytes.ts';
import { removeDraft, sameContentUpTo, statIfThere, syncPath } from './log-files.ts';
import { openIfThere } from './scan.ts';

export interface LogsMirror {
  /** Copies what has changed since the last time; gives a sentence when that could not be done. */
  copy(): Promise<string | null>;
}

export interface MirrorOptions {
  readonly logs: LogsKept;
  readonly attempt: AttemptId;
  readonly yardId: string;
  /** What its program withholds from others in directories that are made for it. */
  readonly umask: number;
  readonly now: () => number;
  /** Shares the disk with others: each file is copied in a turn. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly isOver: () => boolean;
}

const permit = promisify(fchmod);

const PIECE_BYTES = 1 << 20;
/** A file that was written so shortly before it was copied may have changed again without looking different. */
const RACY_MS = 2000;
/** On storage that keeps times only so exactly, or that Node sets only so exactly. */
const SAME_TIME_MS = 1;
/** What would stop every other file as well. */
const HOPELESS = ['ENOSPC', 'EDQUOT', 'EROFS', 'ESTALE'];

export function createLogsMirror(options: MirrorOptions): LogsMirror {
  const { logs, attempt, yardId, now, inTurn, isOver } = options;
  const draftName = `.trainyard-${yardId}-${attempt}.draft`;
  /** Those that we have written: they are replaced without another thought. */
  const ours = new Set<string>();
  const uncertain = new Set<string>();
  let trouble: string | null = null;

  const cannot = (path: string, error: unknown) => {
    trouble ??= `cannot copy the log ${printable(path)} to ${printable(logs.to)}: ${errorWords(error)}`;
    if (HOPELESS.some((code) => isErrno(error, code))) throw new Stop();
  };

  /** The path is relative to both; '' is the directory itself. */
  async function copyDirectory(path: string, { source, target }: Pair, targetIno: number): Promise<void> {
    await removeDraft(target.entry(draftName));
    let changed = false;
    for (const name of await namesIn(source)) {
      if (isOver()) throw new Stop();
      const file: Here = { path: join(path, name), name, source, target };
      try {
        const found = await statIfThere(source.entry(name));
        if (found === null) continue;
        if (found.isDirectory()) {
          // Where they last may be inside the directory that they come from.
          if (found.ino !== targetIno) await copyBelow(file, found.mode, targetIno);
        } else if (found.isSymbolicLink()) changed = (await copyLink(file)) || changed;
        else if (found.isFile()) changed = (await copyIfChanged(file, found)) || changed;
      } catch (error) {
        if (error instanceof Stop) throw error;
        // Gone since it was listed: nobody misses it.
        if (!isErrno(error, 'ENOENT') || (await statIfThere(source.entry(name))) !== null)
          cannot(join(logs.from, file.path), error);
      }
    }
    if (changed) await syncPath(`/proc/self/fd/${target.fd}`);
  }

  async function copyBelow({ path, name, ...above }: Here, mode: number, targetIno: number): Promise<void> {
    const source = await enterDirectory(above.source, name);
    try {
      const target = await enter(above.target, name, mode);
      if (target === null) {
        trouble ??= `cannot copy the logs in ${printable(join(logs.from, path))}: ${printable(join(logs.to, path))} is no directory`;
        return;
      }
      await copyDirectory(path, { source, target }, targetIno).finally(target.close);
    } finally {
      source.close();
    }
  }

  async function copyLink(file: Here): Promise<boolean> {
    const { name, source, target } = file;
    const wanted = await readlink(onDisk(source.entry(name)), 'buffer');
    const there = await statIfThere(target.entry(name));
    if (there?.isSymbolicLink() && wanted.equals(await readlink(onDisk(target.entry(name)), 'buffer')))
      return false;
    await putAside(file, there);
    const draft = target.entry(draftName);
    await removeDraft(draft);
    await symlink(wanted, draft);
    await rename(draft, onDisk(target.entry(name)));
    ours.add(file.path);
    return true;
  }

  async function copyIfChanged(file: Here, found: Stats): Promise<boolean> {
    const there = await statIfThere(file.target.entry(file.name));
    if (there !== null && looksSame(found, there) && !uncertain.has(file.path)) return false;
    await inTurn(() => copyFile(file, there));
    return true;
  }

  async function copyFile(file: Here, there: Stats | null): Promise<void> {
    const { path, name, target } = file;
    const draft = target.entry(draftName);
    const source = await open(
      onDisk(file.source.entry(name)),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const began = await source.stat();
      if (!began.isFile()) return;
      const isRacy = Math.abs(now() - began.mtimeMs) < RACY_MS;
      await removeDraft(draft);
      const copy = await open(draft, 'wx', (began.mode & 0o777) | 0o200);
      try {
        await pour(source, copy, began.size);
        await copy.chmod((began.mode & 0o777) | 0o200);
        await copy.utimes(began.atimeMs / 1000, began.mtimeMs / 1000);
        await copy.sync();
      } finally {
        await copy.close();
      }
      if (there !== null && !ours.has(path) && !(await sameContentUpTo(source, target.entry(name), there)))
        await putAside(file, there);
      await rename(draft, onDisk(target.entry(name)));
      ours.add(path);
      if (isRacy) uncertain.add(path);
      else uncertain.delete(path);
    } catch (error) {
      await removeDraft(draft).catch(() => {});
      throw error;
    } finally {
      await source.close();
    }
  }

  async function pour(source: FileHandle, copy: FileHandle, size: number): Promise<void> {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(size, 1)));
    for (let at = 0; at < size; ) {
      if (isOver()) throw new Stop();
      const { bytesRead } = await source.read(piece, 0, Math.min(piece.length, size - at), at);
      if (bytesRead === 0) return;
      await copy.writeFile(piece.subarray(0, bytesRead));
      at += bytesRead;
    }
  }

  /** Once for each attempt: what it finds the first time is what an earlier one left. */
  async function putAside({ path, name, target }: Here, there: Stats | null): Promise<void> {
    if (there === null || ours.has(path) || there.isDirectory()) return;
    const aside = target.entry(`${name}.before-${attempt}`);
    if ((await statIfThere(aside)) === null) await rename(onDisk(target.entry(name)), onDisk(aside));
  }

  async function copyAll(source: DirectoryHandle): Promise<void> {
    const target = await openNamedDirectory(logs.to, 0o777 & ~options.umask);
    try {
      const [from, to] = [await statDirectory(source), await statDirectory(target)];
      if (to.ino !== from.ino || to.dev !== from.dev) await copyDirectory('', { source, target }, to.ino);
    } finally {
      target.close();
    }
  }

  return {
    async copy() {
      trouble = null;
      let source: DirectoryHandle | null = null;
      try {
        source = await openIfThere(logs.from);
        if (source !== null) await copyAll(source);
      } catch (error) {
        if (!(error instanceof Stop))
          trouble ??= `cannot copy the logs in ${printable(logs.from)} to ${printable(logs.to)}: ${errorWords(error)}`;
      } finally {
        source?.close();
      }
      return trouble;
    },
  };
}

/** A directory of the program, and the one that it is copied to. */
interface Pair {
  readonly source: DirectoryHandle;
  readonly target: DirectoryHandle;
}

/** An entry of both. */
interface Here extends Pair {
  /** From the top on. */
  readonly path: string;
  readonly name: string;
}

/** Null: something else has that name, perhaps a link that could lead anywhere. */
async function enter(parent: DirectoryHandle, name: string, mode: number): Promise<DirectoryHandle | null> {
  let isMade = true;
  try {
    await mkdir(onDisk(parent.entry(name)), 0o700);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    isMade = false;
  }
  try {
    const directory = await enterDirectory(parent, name);
    if (isMade) await permit(directory.fd, (mode & 0o777) | 0o700);
    return directory;
  } catch (error) {
    if (isErrno(error, 'ENOTDIR') || isErrno(error, 'ELOOP')) return null;
    throw error;
  }
}

/** Thrown to end a round before its end. */
class Stop extends Error {}

function looksSame(found: Stats, there: Stats): boolean {
  return (
    there.isFile() && found.size === there.size && Math.abs(found.mtimeMs - there.mtimeMs) < SAME_TIME_MS
  );
}

async function namesIn({ fd }: DirectoryHandle): Promise<readonly string[]> {
  return (await readdir(`/proc/self/fd/${fd}`, { encoding: 'buffer' })).map(textFromBytes);
}

/** Empty parts leave no trace. */
function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('/');
}
