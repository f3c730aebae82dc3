/** What SQLite says when the world is in the way, as a sentence for the person who can change it. */

import { statfsSync } from 'node:fs';
import { Fault } from '../../model/refusal.ts';
import { waysOut } from './place.ts';

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const CONSTRAINT = 19;
const MISMATCH = 20;
const MISUSE = 21;
const RANGE = 25;
const NOTADB = 26;

/** A Fault for an error of SQLite; anything else is given back as it is, since it is a mistake of ours. */
export function faultFrom(error: unknown, directory: string): unknown {
  if (!isSqliteError(error)) return error;
  // The upper bits say more than the sentence needs.
  switch (error.errcode & 0xff) {
    case FULL:
      return diskFull(directory);
    case READONLY:
      return new Fault(`the database in ${directory} cannot be written: it is read-only`, false);
    case BUSY:
    case LOCKED:
      return new Fault(`the database in ${directory} is locked by another process`, true);
    case CORRUPT:
      return new Fault(`the database ${directory}/yard.db is damaged: ${error.message}`, false, {
        hint: waysOut(directory),
      });
    case NOTADB:
      return new Fault(`${directory}/yard.db is not a database`, false, { hint: waysOut(directory) });
    case CANTOPEN:
      return new Fault(
        `the database in ${directory} cannot be opened: the directory is missing, or may not be written`,
        false,
      );
    case IOERR:
      // A full disk shows as an input/output error where SQLite maps its files instead of writing them.
      if (hasNoSpace(directory)) return diskFull(directory);
      return new Fault(`reading or writing the database in ${directory} failed: ${error.message}`, true);
    case CONSTRAINT:
    case MISMATCH:
    case MISUSE:
    case RANGE:
      // Not the world's doing: trying again would not help, and whoever called must hear of it as it is.
      return error;
    default:
      return new Fault(`the database in ${directory} failed: ${error.message}`, false);
  }
}

function diskFull(directory: string): Fault {
  return new Fault(`the disk holding ${directory} is full`, true);
}

function hasNoSpace(directory: string): boolean {
  try {
    const disk = statfsSync(directory);
    return disk.bavail * disk.bsize < 256 * 1024;
  } catch {
    return false;
  }
}

function isSqliteError(error: unknown): error is Error & { errcode: number } {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';
}
