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
  lstatSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { printable } from '../model/bytes.ts';
import type { AttemptId } from '../model/ids.ts';
import { Fault } from '../model/refusal.ts';
import type { Furnishings } from '../model/voice.ts';
import { ensureDirectory, errorWords, readFileIfThere } from '../platform/files.ts';
import { removeTree } from '../platform/remove-tree.ts';
import { checkOwn, makeOwnDirectory } from './own-directory.ts';
import { dropFurnishingsNote, furnishingsNotes, noteFurnishings, type YardFiles } from './yard-files.ts';

export interface Furnisher {
  /** Makes it all; what is there already stays as it is. Throws a Fault when the job cannot run. */
  furnish(attempt: AttemptId, wanted: Furnishings, umask: number): void;
  /** Removes the directories that were made for it. Safe to repeat, and when nothing was made. */
  clear(attempt: AttemptId): Promise<void>;
  /** Removes what was made for attempts that are not among these any more. */
  sweep(isKnown: (attempt: AttemptId) => boolean): Promise<void>;
  /** Takes leave of a directory below which things are made: it goes when no attempt has anything. */
  leave(directory: string): void;
}

export function createFurnisher(files: YardFiles, log: (line: string) => void): Furnisher {
  const directoriesOf = new Map(furnishingsNotes(files));
  /** A later attempt of a job may have a directory of the same name. */
  const ownerOf = new Map<string, AttemptId>();
  for (const [attempt, directories] of directoriesOf)
    for (const directory of directories) ownerOf.set(directory, attempt);

  async function clear(attempt: AttemptId): Promise<void> {
    const directories = directoriesOf.get(attempt);
    if (directories === undefined) return;
    for (const directory of directories) {
      if (ownerOf.get(directory) !== attempt) continue;
      await removeTree(directory);
      if (ownerOf.get(directory) === attempt) ownerOf.delete(directory);
    }
    directoriesOf.delete(attempt);
    dropFurnishingsNote(files, attempt);
  }

  return {
    furnish(attempt, { directories, files: wantedFiles, keptFiles }, umask) {
      if (directories.length > 0 && !directoriesOf.has(attempt)) {
        for (const directory of directories) takeOver(directory, attempt, ownerOf.get(directory));
        noteFurnishings(files, attempt, directories);
        directoriesOf.set(attempt, directories);
        for (const directory of directories) ownerOf.set(directory, attempt);
      }
      for (const directory of directories) making(directory, () => makeBelowOwn(directory));
      for (const { path, text } of wantedFiles) making(path, () => writeIfOther(path, text));
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
    leave(directory) {
      if (directoriesOf.size === 0) removeEmpty(directory);
    },
  };
}

function removeEmpty(directory: string): void {
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true }))
      if (entry.isDirectory()) removeEmpty(join(directory, entry.name));
    rmdirSync(directory);
  } catch {
    return;
  }
}

/** An earlier run of the same job had it, and is over. */
function takeOver(directory: string, attempt: AttemptId, owner: AttemptId | undefined): void {
  if (owner === undefined || owner === attempt) return;
  making(directory, () => rmSync(directory, { recursive: true, force: true }));
}

/** What it is in must be ours as well. */
function makeBelowOwn(path: string): void {
  const above = dirname(path);
  if (lstatSync(above, { throwIfNoEntry: false }) === undefined) ensureDirectory(above);
  checkOwn(above);
  makeOwnDirectory(path);
}

/** One that is right is left alone: somebody may be reading it. */
function writeIfOther(path: string, text: string): void {
  if (readFileIfThere(path)?.equals(Buffer.from(text)) !== true) writeFileSync(path, text, { mode: 0o600 });
}

function making(path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    throw new Fault(`cannot make ${printable(path)}: ${errorWords(error)}`, true, error);
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
    throw new Fault(`cannot open its output file ${printable(path)}: ${errorWords(error)}`, false, error);
  }
}
