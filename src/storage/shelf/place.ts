/**
 * Whose place a directory of checkpoints is. The lock is the kernel's, so it is gone with its holder however that ended;
 * the file `owner` only says to people, and to whoever finds the place taken, who has it. Where a file system knows no
 * locks, only the yard itself keeps its jobs apart.
 */

import { closeSync, constants, open } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { printable } from '../../model/bytes.ts';
import { Fault } from '../../model/refusal.ts';
import type { DirectoryHandle } from '../../platform/directory.ts';
import { errorWords } from '../../platform/files.ts';
import { lockExclusively } from '../../platform/libc.ts';
import { openBelow, readSmallFile } from '../../platform/open-below.ts';
import type { Owner } from '../keeper.ts';
import { isPassing, openRepository, type Repository } from './repository.ts';

export interface Place {
  readonly repository: Repository;
  release(): void;
}

interface Holder extends Owner {
  readonly host: string;
  readonly pid: number;
}

const openFile = promisify(open);
const LOCK_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const MAX_HOLDER_BYTES = 4096;

/** Makes the directory where it is missing, as its user would. Throws a Fault. */
export async function takePlace(directory: string, owner: Owner): Promise<Place> {
  const repository = await openRepository(directory, 0o777 & ~process.umask());
  try {
    const fd = await lock(repository, owner);
    await tellOwner(repository.hidden, { ...owner, host: hostname(), pid: process.pid });
    let isReleased = false;
    return {
      repository,
      release() {
        if (isReleased) return;
        isReleased = true;
        closeSync(fd);
        repository.close();
      },
    };
  } catch (error) {
    repository.close();
    throw error;
  }
}

async function lock({ path, hidden }: Repository, owner: Owner): Promise<number> {
  let fd: number;
  try {
    fd = await openFile(hidden.entry('lock'), LOCK_FLAGS, 0o600);
  } catch (error) {
    throw new Fault(`cannot write in ${printable(path)}: ${errorWords(error)}`, isPassing(error));
  }
  if (isLockedByUs(fd)) return fd;
  closeSync(fd);
  throw new Fault(takenSentence(path, await readHolder(hidden), owner), true);
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
async function tellOwner(hidden: DirectoryHandle, holder: Holder): Promise<void> {
  try {
    await writeFile(hidden.entry('owner.draft'), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    await rename(hidden.entry('owner.draft'), hidden.entry('owner'));
  } catch {
    return;
  }
}

async function readHolder(hidden: DirectoryHandle): Promise<Partial<Holder> | null> {
  try {
    const bytes = await readSmallFile(() => openBelow(hidden, 'owner'), MAX_HOLDER_BYTES);
    const value: unknown = JSON.parse(bytes?.toString('utf8') ?? 'null');
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
  const process = `process ${Number(holder.pid)} on ${printable(String(holder.host))}`;
  return `${where} is where ${whose} keeps its checkpoints right now (${process})`;
}
