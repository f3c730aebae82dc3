/**
 * Which directory holds the yard, and where in it (or beside it) the socket is. Which places come into question
 * is decided by src/client/places.ts; here they are tried in turn, and what was passed over is said in a
 * sentence. It knows nothing of what is kept in the directory, except that a lock file means: a yard was here.
 */

import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { RefusalError, refusal } from '../model/refusal.ts';
import { errorWords } from '../platform/files.ts';
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
  /** The name of the network file system it is on. */
  readonly network: string | null;
  readonly holdsYard: boolean;
}

export function chooseDirectory(places: Places, tryPlace: (place: Place) => Trial): YardDirectory {
  const remarks: string[] = [];
  for (const place of places.directories) {
    const { unusable, network, holdsYard } = tryPlace(place);
    if (unusable !== null) {
      // Going elsewhere would seem to have lost every job that is remembered here.
      if (places.explicit || holdsYard) throw unavailable(`${place.path} cannot be used: ${unusable}`);
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

function unavailable(message: string): RefusalError {
  return new RefusalError(refusal('unavailable', message, 'name another directory with TRAINYARD_DIR'));
}

export interface TrialFacts {
  readonly uid: number;
  /** The name of the network file system that a path is on, or null. */
  readonly networkFileSystem: (path: string) => string | null;
}

/** Makes the directory if there is none, and finds out whether a yard can live in it. */
export function tryPlaceOnDisk(place: Place, { uid, networkFileSystem }: TrialFacts): Trial {
  const holdsYard = existsSync(`${place.path}/${LOCK_FILE}`);
  const unusable = whyUnusable(place, uid);
  const network = unusable === null ? networkFileSystem(place.path) : null;
  return { unusable, network, holdsYard };
}

function whyUnusable({ path, inSharedDirectory }: Place, uid: number): string | null {
  try {
    if (inSharedDirectory) return whyNotPrivate(makePrivate(path, uid), uid) ?? whyNotWritable(path);
    makeDirectories(path);
    return whyNotWritable(path);
  } catch (error) {
    return errorWords(error);
  }
}

/** Not Node's own recursive one: where the kernel answers "no such file" to a mkdir (/proc, autofs) it never ends. */
function makeDirectories(path: string): void {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeDirectories(dirname(path));
    mkdirSync(path, 0o700);
  }
}

/** Somebody else can have been there first, with a directory of theirs or a link to one of ours. */
function makePrivate(path: string, uid: number): Stats {
  makeDirectories(path);
  const stats = lstatSync(path);
  const ours = stats.isDirectory() && stats.uid === uid;
  if (ours && (stats.mode & 0o077) !== 0) chmodSync(path, 0o700);
  return stats;
}

export function whyNotPrivate(
  stats: Pick<Stats, 'isSymbolicLink' | 'isDirectory' | 'uid'>,
  uid: number,
): string | null {
  if (stats.isSymbolicLink()) return 'it is a symbolic link that anybody could have put there';
  if (!stats.isDirectory()) return 'it is not a directory';
  if (stats.uid !== uid) return `it belongs to somebody else (user ${stats.uid})`;
  return null;
}

/** Permissions alone do not tell: a file system may be read-only, or a server may refuse root. */
function whyNotWritable(path: string): string | null {
  if (!statSync(path).isDirectory()) return 'it is not a directory';
  accessSync(path, constants.W_OK | constants.X_OK);
  const probe = `${path}/.probe-${process.pid}`;
  closeSync(openSync(probe, 'w', 0o600));
  unlinkSync(probe);
  return null;
}

export interface SocketFacts {
  readonly uid: number;
  /** XDG_RUNTIME_DIR */
  readonly runtimeDir: string | null;
  /** /tmp */
  readonly temporaryDir: string;
}

/** The longest path a unix socket can have. */
const MAX_SOCKET_PATH_BYTES = 107;

/**
 * The socket is in the yard's directory where its path is short enough and its file system local; otherwise
 * under a short name in a directory that only we can write.
 */
export function socketPathFor(
  { directory, safeMode }: YardDirectory,
  { uid, runtimeDir, temporaryDir }: SocketFacts,
): string {
  const own = `${directory}/yard.sock`;
  if (!safeMode && Buffer.byteLength(own) <= MAX_SOCKET_PATH_BYTES) return own;
  const name = `yard-${createHash('sha256').update(directory).digest('hex').slice(0, 12)}.sock`;
  if (runtimeDir !== null && isPrivate(runtimeDir, uid)) {
    const path = `${runtimeDir}/${name}`;
    if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return path;
  }
  const shared = `${temporaryDir}/trainyard-${uid}`;
  const why = whyNotPrivate(makePrivate(shared, uid), uid);
  if (why !== null)
    throw unavailable(`there is no place for the yard's socket: ${shared} cannot be used: ${why}`);
  return `${shared}/${name}`;
}

function isPrivate(path: string, uid: number): boolean {
  try {
    const stats = lstatSync(path);
    return whyNotPrivate(stats, uid) === null && (stats.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
