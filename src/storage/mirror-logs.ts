/**
 * Logs, copied as they are: what grows is copied too, as far as it had come, and again when it has changed. A copy has
 * its name only when it is whole. Nothing is ever removed where they last, and what an earlier run left under the same
 * name is put beside it. Does not know when it is done (keep-attempt.ts) or what is in the files.
 */

import { constants, type Stats } from 'node:fs';
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  symlink,
} from 'node:fs/promises';
import { printable, textFromBytes } from '../model/bytes.ts';
import type { AttemptId } from '../model/ids.ts';
import type { LogsKept } from '../model/keeping.ts';
import { errorWords, isErrno } from '../platform/files.ts';
import { onDisk } from '../platform/path-bytes.ts';
import { makeLastingDirectory } from './lasting-directory.ts';
import { removeDraft, sameContentUpTo, statIfThere, syncPath } from './log-files.ts';

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
  async function copyDirectory(path: string, targetIno: number): Promise<void> {
    const target = join(logs.to, path);
    await removeDraft(join(target, draftName));
    let changed = false;
    for (const name of await namesIn(join(logs.from, path))) {
      if (isOver()) throw new Stop();
      const inside = join(path, name);
      try {
        const found = await statIfThere(join(logs.from, inside));
        if (found === null) continue;
        if (found.isDirectory()) {
          // Where they last may be inside the directory that they come from.
          if (found.ino !== targetIno && (await enter(inside, found.mode)))
            await copyDirectory(inside, targetIno);
        } else if (found.isSymbolicLink()) changed = (await copyLink(inside)) || changed;
        else if (found.isFile()) changed = (await copyIfChanged(inside, found, target)) || changed;
      } catch (error) {
        if (error instanceof Stop) throw error;
        // Gone since it was listed: nobody misses it.
        if (!isErrno(error, 'ENOENT') || (await statIfThere(join(logs.from, inside))) !== null)
          cannot(join(logs.from, inside), error);
      }
    }
    if (changed) await syncPath(target);
  }

  async function enter(path: string, mode: number): Promise<boolean> {
    const target = join(logs.to, path);
    try {
      await mkdir(onDisk(target));
      await chmod(onDisk(target), (mode & 0o777) | 0o700);
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
      // A link could lead anywhere.
      const there = await lstat(onDisk(target));
      if (!there.isDirectory()) {
        trouble ??= `cannot copy the logs in ${printable(join(logs.from, path))}: ${printable(target)} is no directory`;
        return false;
      }
    }
    return true;
  }

  async function copyLink(path: string): Promise<boolean> {
    const target = join(logs.to, path);
    const wanted = await readlink(onDisk(join(logs.from, path)), 'buffer');
    const there = await statIfThere(target);
    if (there?.isSymbolicLink() && wanted.equals(await readlink(onDisk(target), 'buffer'))) return false;
    await putAside(path, there);
    const draft = join(logs.to, parentOf(path), draftName);
    await removeDraft(draft);
    await symlink(wanted, onDisk(draft));
    await rename(onDisk(draft), onDisk(target));
    ours.add(path);
    return true;
  }

  async function copyIfChanged(path: string, found: Stats, targetDirectory: string): Promise<boolean> {
    const there = await statIfThere(join(logs.to, path));
    if (there !== null && looksSame(found, there) && !uncertain.has(path)) return false;
    await inTurn(() => copyFile(path, join(targetDirectory, draftName), there));
    return true;
  }

  async function copyFile(path: string, draft: string, there: Stats | null): Promise<void> {
    const source = await open(
      onDisk(join(logs.from, path)),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const began = await source.stat();
      if (!began.isFile()) return;
      const isRacy = Math.abs(now() - began.mtimeMs) < RACY_MS;
      await removeDraft(draft);
      const copy = await open(onDisk(draft), 'wx', (began.mode & 0o777) | 0o200);
      try {
        await pour(source, copy, began.size);
        await copy.chmod((began.mode & 0o777) | 0o200);
        await copy.utimes(began.atimeMs / 1000, began.mtimeMs / 1000);
        await copy.sync();
      } finally {
        await copy.close();
      }
      if (there !== null && !ours.has(path) && !(await sameContentUpTo(source, join(logs.to, path), there)))
        await putAside(path, there);
      await rename(onDisk(draft), onDisk(join(logs.to, path)));
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
  async function putAside(path: string, there: Stats | null): Promise<void> {
    if (there === null || ours.has(path) || there.isDirectory()) return;
    const aside = `${join(logs.to, path)}.before-${attempt}`;
    if ((await statIfThere(aside)) === null) await rename(onDisk(join(logs.to, path)), onDisk(aside));
  }

  return {
    async copy() {
      trouble = null;
      try {
        if ((await statIfThere(logs.from)) === null) return null;
        await makeLastingDirectory(logs.to, options.umask);
        const target = await lstat(onDisk(`${logs.to}/.`));
        const source = await lstat(onDisk(`${logs.from}/.`));
        if (target.ino === source.ino && target.dev === source.dev) return null;
        await copyDirectory('', target.ino);
      } catch (error) {
        if (!(error instanceof Stop))
          trouble ??= `cannot copy the logs in ${printable(logs.from)} to ${printable(logs.to)}: ${errorWords(error)}`;
      }
      return trouble;
    },
  };
}

/** Thrown to end a round before its end. */
class Stop extends Error {}

function looksSame(found: Stats, there: Stats): boolean {
  return (
    there.isFile() && found.size === there.size && Math.abs(found.mtimeMs - there.mtimeMs) < SAME_TIME_MS
  );
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return (await readdir(onDisk(directory), { encoding: 'buffer' })).map(textFromBytes);
}

/** Empty parts leave no trace. */
function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('/');
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}
