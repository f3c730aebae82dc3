/**
 * What a dialect wants to be there around a run: directories of the attempt alone, with files in them, and empty files
 * for its submitter. What was made for an attempt is noted ahead of making it, so that whoever finds the attempt over
 * removes that and nothing else. Which files those are is the dialect's business.
 */

import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { printable } from '../model/bytes.ts';
import type { AttemptId } from '../model/ids.ts';
import { Fault } from '../model/refusal.ts';
import type { Furnishings } from '../model/voice.ts';
import { errorWords, readFileIfThere } from '../platform/files.ts';
import {
  makeBelow,
  openAbove,
  type PathBelow,
  type PrivateDirectory,
  removeBelow,
} from '../platform/private-directory.ts';
import { dropFurnishingsNote, furnishingsNotes, noteFurnishings, type YardFiles } from './yard-files.ts';

export interface Furnisher {
  /** Makes it all; what is there already stays as it is. Throws a Fault when the job cannot run. */
  furnish(attempt: AttemptId, wanted: Furnishings, umask: number): void;
  /** Removes the directories that were made for it. Safe to repeat, and when nothing was made. */
  clear(attempt: AttemptId): Promise<void>;
  /** Removes what was made for attempts that are not among these any more. */
  sweep(isKnown: (attempt: AttemptId) => boolean): Promise<void>;
  /** Removes the directory below which everything is made, if no attempt has anything. */
  leave(): Promise<void>;
}

/** A link that a job has left there is not followed. */
const WRITE_ANEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** `temporary`: what is made is below it; null: there is no place for anything. */
export function createFurnisher(
  files: YardFiles,
  temporary: PrivateDirectory | null,
  log: (line: string) => void,
): Furnisher {
  const directoriesOf = new Map(furnishingsNotes(files));
  /** A later attempt of a job may have a directory of the same name. */
  const ownerOf = new Map<string, AttemptId>();
  for (const [attempt, directories] of directoriesOf)
    for (const directory of directories) ownerOf.set(directory, attempt);

  const find = (path: string) => temporary?.find(path) ?? null;

  /** Throws when it is not below our own directory. */
  function placeOf(path: string): PathBelow {
    const found = find(path);
    if (found === null) throw new Error('it is in no temporary directory of this yard');
    return found;
  }

  /** A note may name anything: what is not below our own directory was not made by us. */
  async function remove(directory: string): Promise<void> {
    const found = find(directory);
    if (found !== null) await removeBelow(found);
    else log(`${printable(directory)} is in no temporary directory of this yard: it is left alone`);
  }

  /** An earlier run of the same job had it, and is over. */
  function takeOver(directory: string, attempt: AttemptId): void {
    const owner = ownerOf.get(directory);
    if (owner !== undefined && owner !== attempt) removeNow(placeOf(directory));
  }

  async function clear(attempt: AttemptId): Promise<void> {
    const directories = directoriesOf.get(attempt);
    if (directories === undefined) return;
    for (const directory of directories) {
      if (ownerOf.get(directory) !== attempt) continue;
      await remove(directory);
      if (ownerOf.get(directory) === attempt) ownerOf.delete(directory);
    }
    directoriesOf.delete(attempt);
    dropFurnishingsNote(files, attempt);
  }

  return {
    furnish(attempt, { directories, files: wantedFiles, keptFiles }, umask) {
      if (directories.length > 0 && !directoriesOf.has(attempt)) {
        for (const directory of directories) making(directory, () => takeOver(directory, attempt));
        noteFurnishings(files, attempt, directories);
        directoriesOf.set(attempt, directories);
        for (const directory of directories) ownerOf.set(directory, attempt);
      }
      for (const directory of directories) making(directory, () => makeBelow(placeOf(directory)).close());
      for (const { path, text } of wantedFiles) making(path, () => writeIfOther(placeOf(path), text));
      for (const path of keptFiles) makeKeptFile(path, 0o666 & ~umask);
    },
    clear,
    async sweep(isKnown) {
      for (const attempt of [...directoriesOf.keys()].filter((each) => !isKnown(each))) {
        await clear(attempt).catch((error: unknown) =>
          log(`what attempt ${attempt} left in its directories cannot be removed: ${errorWords(error)}`),
        );
      }
    },
    async leave() {
      if (directoriesOf.size === 0) await temporary?.leave();
    },
  };
}

/** Nobody else may enter the directory that it is in, so nobody swaps names below it meanwhile. */
function removeNow(below: PathBelow): void {
  inParent(below, (path) => rmSync(path, { recursive: true, force: true }));
}

/** One that is right is left alone: somebody may be reading it. */
function writeIfOther(below: PathBelow, text: string): void {
  const isThere = inParent(below, (path) => {
    if (readFileIfThere(path)?.equals(Buffer.from(text)) !== true) writeAnew(path, text);
    return true;
  });
  if (isThere === null) throw new Error('the directory that it is in is gone');
}

function writeAnew(path: string, text: string): void {
  const fd = openSync(path, WRITE_ANEW, 0o600);
  try {
    writeFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
}

/** Null: the directory that it is in is not there. */
function inParent<T>(below: PathBelow, act: (path: string) => T): T | null {
  const parent = openAbove(below);
  if (parent === null) return null;
  try {
    return act(parent.entry(below.names.at(-1) as string));
  } finally {
    parent.close();
  }
}

function making(path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    throw new Fault(`cannot make ${printable(path)}: ${errorWords(error)}`, true, { cause: error });
  }
}

function makeKeptFile(path: string, mode: number): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (found !== undefined) return accessSync(path, constants.W_OK);
    const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOCTTY, mode);
    fchmodSync(fd, mode);
    closeSync(fd);
  } catch (error) {
    throw new Fault(`cannot open its output file ${printable(path)}: ${errorWords(error)}`, false, {
      cause: error,
    });
  }
}
