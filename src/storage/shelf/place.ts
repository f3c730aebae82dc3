/**
 * Whose place a directory of checkpoints is. The lock is the kernel's, so it is gone with its holder however that ended;
 * the file `owner` only says to people, and to whoever finds the place taken, who has it. Where a file system knows no
 * locks, only the yard itself keeps its jobs apart.
 */

import { closeSync, openSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { printable } from '../../model/bytes.ts';
import { Fault } from '../../model/refusal.ts';
import { errorWords, isErrno } from '../../platform/files.ts';
import { lockExclusively } from '../../platform/libc.ts';
import { onDisk } from '../../platform/path-bytes.ts';
import type { Owner } from '../keeper.ts';
import { patientCalls } from './file-calls.ts';

export const HIDDEN = '.trainyard';

export interface Place {
  release(): void;
}

interface Holder extends Owner {
  readonly host: string;
  readonly pid: number;
}

/** Makes the directory where it is missing, as its user would. Throws a Fault. */
export async function takePlace(directory: string, owner: Owner): Promise<Place> {
  await makePlace(directory);
  const hidden = `${directory}/${HIDDEN}`;
  let fd: number;
  try {
    await patientCalls.makeDirectory(hidden);
    fd = openSync(onDisk(`${hidden}/lock`), 'a+', 0o666);
  } catch (error) {
    throw new Fault(`cannot write in ${printable(directory)}: ${errorWords(error)}`, isPassing(error));
  }
  if (!isLockedByUs(fd)) {
    closeSync(fd);
    throw new Fault(takenSentence(directory, await readHolder(hidden), owner), true);
  }
  await tellOwner(hidden, { ...owner, host: hostname(), pid: process.pid });
  let isReleased = false;
  return {
    release() {
      if (!isReleased) closeSync(fd);
      isReleased = true;
    },
  };
}

async function makePlace(directory: string): Promise<void> {
  const where = printable(directory);
  try {
    await patientCalls.makeDirectory(directory);
    if (!(await stat(onDisk(directory))).isDirectory())
      throw new Fault(`${where} is a file: checkpoints need a directory, so name another or move it`, false);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(`cannot make ${where}: ${errorWords(error)}`, isPassing(error));
  }
}

/** Also when there are no locks to be had. */
function isLockedByUs(fd: number): boolean {
  try {
    return lockExclusively(fd);
  } catch {
    return true;
  }
}

/** Nothing depends on it, so a full disk does not keep anybody from reading what is there. */
async function tellOwner(hidden: string, holder: Holder): Promise<void> {
  const path = `${hidden}/owner`;
  try {
    await writeFile(onDisk(`${path}.draft`), `${JSON.stringify(holder)}\n`);
    await rename(onDisk(`${path}.draft`), onDisk(path));
  } catch {
    return;
  }
}

async function readHolder(hidden: string): Promise<Partial<Holder> | null> {
  try {
    const value: unknown = JSON.parse(await readFile(onDisk(`${hidden}/owner`), 'utf8'));
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function takenSentence(directory: string, holder: Partial<Holder> | null, owner: Owner): string {
  const where = printable(directory);
  if (holder === null || typeof holder.job !== 'number')
    return `another job is beginning to keep its checkpoints in ${where}`;
  const whose = holder.yardId === owner.yardId ? `job ${holder.job}` : `job ${holder.job} of another yard`;
  const process = `process ${holder.pid} on ${printable(String(holder.host))}`;
  return `${where} is where ${whose} keeps its checkpoints right now (${process})`;
}

function isPassing(error: unknown): boolean {
  return !['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'].some((code) =>
    isErrno(error, code),
  );
}
