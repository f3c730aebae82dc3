/**
 * Where a yard's directory is, as the yard remembers it, so that a copy is told from the original. A copy has the records
 * of the original: a daemon that took them for its own would end the original's running jobs and run them again.
 *
 *   - The same directory under the same path is at home. Only its inode counts: the number of a device may be another
 *     one after a restart of the machine.
 *   - The same directory under another path was renamed. Its jobs that still run write to the old path.
 *   - Another directory, or another machine: somebody has to say whether the original is gone.
 */

import { statSync } from 'node:fs';
import { fileSystemKind } from '../platform/file-systems.ts';
import { readFileIfThere, writeFileAtomic } from '../platform/files.ts';
import { machineId } from '../platform/machine-id.ts';

export interface Home {
  readonly path: string;
  /** Null: the machine has no name of its own. */
  readonly machine: string | null;
  readonly device: string;
  /** Null: the file system gives directories other numbers from time to time. */
  readonly inode: string | null;
}

export type HomeVerdict = 'same' | 'renamed' | 'elsewhere';

const HOME_FILE = 'home.json';
const UNSTABLE_INODES = new Set(['fuse', 'cifs', 'smb', '9p']);

export function compareHomes(before: Home, now: Home): HomeVerdict {
  if (before.machine !== now.machine) return 'elsewhere';
  const areNumbered = before.inode !== null && now.inode !== null;
  if (areNumbered && before.inode !== now.inode) return 'elsewhere';
  if (before.path === now.path) return 'same';
  return areNumbered && before.device === now.device ? 'renamed' : 'elsewhere';
}

/** Throws when there is no such directory. */
export function homeNow(directory: string): Home {
  const { dev, ino } = statSync(directory, { bigint: true });
  const isNumbered = !UNSTABLE_INODES.has(fileSystemKind(directory).name);
  return { path: directory, machine: machineId(), device: `${dev}`, inode: isNumbered ? `${ino}` : null };
}

/** Null: none was written yet. `unreadable`: something else is in the file. */
export function rememberedHome(directory: string): Home | 'unreadable' | null {
  const bytes = readFileIfThere(`${directory}/${HOME_FILE}`);
  if (bytes === null) return null;
  try {
    const home: unknown = JSON.parse(bytes.toString('utf8'));
    return isHome(home) ? home : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** Writes only what is not there already: a yard starts on a full disk as well. */
export function rememberHome(directory: string, home: Home): void {
  const path = `${directory}/${HOME_FILE}`;
  const text = `${JSON.stringify(home)}\n`;
  if (readFileIfThere(path)?.toString('utf8') !== text) writeFileAtomic(path, text);
}

/** Whether the directory that was remembered is still where it was. */
export function isStillThere(before: Home): boolean {
  try {
    const now = homeNow(before.path);
    return now.inode !== null && compareHomes(before, now) === 'same';
  } catch {
    return false;
  }
}

function isHome(value: unknown): value is Home {
  if (typeof value !== 'object' || value === null) return false;
  const { path, machine, device, inode } = value as Readonly<Record<string, unknown>>;
  const isText = (each: unknown) => typeof each === 'string';
  return isText(path) && isText(device) && [machine, inode].every((each) => each === null || isText(each));
}
