/**
 * Which directory holds the yard, and where in it (or beside it) the socket is. Which places come into question
 * is decided by src/client/places.ts; here they are tried in turn, and what was passed over is said in a
 * sentence. It knows nothing of what is kept in the directory, except that a lock file means: a yard was here.
 */

import { createHash } from 'node:crypto';
import { accessSync, closeSync, constants, existsSync, openSync, unlinkSync } from 'node:fs';
import { RefusalError, refusal } from '../model/refusal.ts';
import { MAX_SOCKET_PATH_BYTES } from '../model/socket-pointer.ts';
import { type DirectoryHandle, openOwnDirectory } from '../platform/directory.ts';
import { errorWords } from '../platform/files.ts';
import { type NameMemory, privateDirectory } from '../platform/private-directory.ts';
import { NotOwnDirectory, openYardDirectory } from './directory-owner.ts';
import { LOCK_FILE } from './lock.ts';

export interface Place {
  readonly path: string;
  readonly inSharedDirectory: boolean;
}

export interface Places {
  readonly explicit: boolean;
  readonly directories: readonly Place[];
}

export interface YardDirectory {
  readonly directory: string;
  /** On a network file system: no write-ahead log, and other hosts may look at it. */
  readonly safeMode: boolean;
  /** What was chosen and why, where that is not the ordinary case. */
  readonly remarks: readonly string[];
}

/** What trying a place showed. */
export interface Trial {
  /** Why it cannot hold a yard. */
  readonly unusable: string | null;
  /** What to do about it; absent: to name another directory. */
  readonly hint?: string;
  /** The name of the network file system it is on. */
  readonly network: string | null;
  readonly holdsYard: boolean;
}

export function chooseDirectory(places: Places, tryPlace: (place: Place) => Trial): YardDirectory {
  const remarks: string[] = [];
  for (const place of places.directories) {
    const { unusable, hint, network, holdsYard } = tryPlace(place);
    if (unusable !== null) {
      // Going elsewhere would seem to have lost every job that is remembered here.
      if (places.explicit || holdsYard) throw unavailable(`${place.path} cannot be used: ${unusable}`, hint);
      remarks.push(`${place.path} cannot be used: ${unusable}`);
    } else if (network !== null && !places.explicit) {
      remarks.push(`${place.path} is on a network file system (${network}), where a yard is slow and unsafe`);
    } else {
      return chosen(place.path, network, remarks);
    }
  }
  throw unavailable(`no directory can hold a yard: ${remarks.join('; ')}`);
}

function chosen(directory: string, network: string | null, passedOver: readonly string[]): YardDirectory {
  if (network !== null) {
    const remark = `${directory} is on a network file system (${network}): the yard keeps its records in a slower, safe mode`;
    return { directory, safeMode: true, remarks: [...passedOver, remark] };
  }
  const remarks = passedOver.length === 0 ? [] : [...passedOver, `so the yard is in ${directory}`];
  return { directory, safeMode: false, remarks };
}

function unavailable(message: string, hint = 'name another directory with TRAINYARD_DIR'): RefusalError {
  return new RefusalError(refusal('unavailable', message, hint));
}

export interface TrialFacts {
  readonly uid: number;
  /** Somebody named the place. */
  readonly isNamed: boolean;
  /** The name of the network file system that a path is on, or null. */
  readonly networkFileSystem: (path: string) => string | null;
}

/** Makes the directory if there is none, and finds out whether a yard of this user can live in it. */
export function tryPlaceOnDisk(place: Place, { uid, isNamed, networkFileSystem }: TrialFacts): Trial {
  const holdsYard = existsSync(`${place.path}/${LOCK_FILE}`);
  try {
    const directory = openYardDirectory({ ...place, isNamed }, uid);
    try {
      checkWritable(directory);
    } finally {
      directory.close();
    }
    return { unusable: null, network: networkFileSystem(place.path), holdsYard };
  } catch (error) {
    if (!(error instanceof NotOwnDirectory)) return { unusable: errorWords(error), network: null, holdsYard };
    // Anybody can put a directory there that looks like a yard's: it is passed over, and stops nobody.
    const isTheirs = place.inSharedDirectory;
    return { unusable: error.message, hint: error.hint, network: null, holdsYard: holdsYard && !isTheirs };
  }
}

/** Permissions alone do not tell: a file system may be read-only, or a server may refuse root. */
function checkWritable(directory: DirectoryHandle): void {
  accessSync(`/proc/self/fd/${directory.fd}`, constants.W_OK | constants.X_OK);
  const probe = directory.entry(`.probe-${process.pid}`);
  closeSync(openSync(probe, PROBE, 0o600));
  unlinkSync(probe);
}

const PROBE = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;

export interface SocketFacts {
  readonly uid: number;
  /** XDG_RUNTIME_DIR */
  readonly runtimeDir: string | null;
  /** /tmp */
  readonly temporaryDir: string;
  readonly memory: NameMemory;
  readonly log: (line: string) => void;
}

/**
 * The socket is in the yard's directory where its path is short enough and its file system local; otherwise
 * under a short name in a directory that only we can write.
 */
export function socketPathFor({ directory, safeMode }: YardDirectory, facts: SocketFacts): string {
  const own = `${directory}/yard.sock`;
  if (!safeMode && Buffer.byteLength(own) <= MAX_SOCKET_PATH_BYTES) return own;
  const name = `yard-${createHash('sha256').update(directory).digest('hex').slice(0, 12)}.sock`;
  const { uid, runtimeDir, temporaryDir: parent, memory, log } = facts;
  if (runtimeDir !== null && isPrivate(runtimeDir)) {
    const path = `${runtimeDir}/${name}`;
    if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
  }
  try {
    return `${privateDirectory({ parent, name: `trainyard-${uid}`, memory, log }).path()}/${name}`;
  } catch (error) {
    throw unavailable(`there is no place for the yard's socket in ${parent}: ${errorWords(error)}`);
  }
}

function isPrivate(path: string): boolean {
  try {
    openOwnDirectory(path).close();
    return true;
  } catch {
    return false;
  }
}
