/**
 * What a place says about a yard: whether its directory can be trusted, and where its file `socket` leads. The rule is
 * written down in places.ts. The directory is opened once and everything is read through that descriptor.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { MAX_POINTER_BYTES, POINTER_FILE, socketPathFrom } from '../model/socket-pointer.ts';
import { type DirectoryHandle, reachDirectory, whyNotOwn } from '../platform/directory.ts';
import { isErrno } from '../platform/files.ts';
import type { Place, Places } from './places.ts';

export interface YardAddress {
  readonly socketPath: string;
  /** Who may listen there: anybody else is sent nothing. */
  readonly listeners: readonly number[];
}

export type PointerFound =
  | { readonly kind: 'address'; readonly address: YardAddress }
  | { readonly kind: 'nothing' }
  /** The directory is a third user's. */
  | { readonly kind: 'untrusted'; readonly why: string };

const NOTHING: PointerFound = { kind: 'nothing' };
const ROOT_UID = 0;
/** A fifo, a link or a device in the place of the file makes nobody wait. */
const OPEN_POINTER = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Whom this user trusts with what a command sends. */
export function ownListeners(uid: number): readonly number[] {
  return uid === ROOT_UID ? [ROOT_UID] : [uid, ROOT_UID];
}

export function lookForPointer(place: Place, { uid, explicit }: Omit<Places, 'directories'>): PointerFound {
  let directory: DirectoryHandle;
  try {
    directory = reachDirectory(place.path, { followLink: !place.inSharedDirectory });
  } catch {
    return NOTHING;
  }
  try {
    const stats = directory.stat();
    // Root may name the directory of anybody, and then talks to its owner.
    const isRootsChoice = uid === ROOT_UID && explicit && !place.inSharedDirectory;
    const listeners = isRootsChoice && stats.uid !== ROOT_UID ? [ROOT_UID, stats.uid] : ownListeners(uid);
    const why = whyNotOwn(stats, ...listeners);
    // One that is ours and open to others is closed, or complained of, by whoever starts a yard there.
    if (why !== null) return listeners.includes(stats.uid) ? NOTHING : { kind: 'untrusted', why };
    const socketPath = readPointer(directory, listeners);
    return socketPath === null ? NOTHING : { kind: 'address', address: { socketPath, listeners } };
  } finally {
    directory.close();
  }
}

function readPointer(directory: DirectoryHandle, owners: readonly number[]): string | null {
  let file: number;
  try {
    file = openSync(directory.entry(POINTER_FILE), OPEN_POINTER);
  } catch (error) {
    if (isErrno(error, 'EMFILE') || isErrno(error, 'ENFILE')) throw error;
    return null;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || !owners.includes(stats.uid) || (stats.mode & 0o022) !== 0) return null;
    const bytes = Buffer.alloc(MAX_POINTER_BYTES);
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
    return socketPathFrom(text, fstatSync(directory.fd, { bigint: true }));
  } finally {
    closeSync(file);
  }
}
