/**
 * Who calls, as the kernel knows it: the user at the other end of the unix socket. A yard serves its owner
 * and root, nobody else. What a caller may do after that is not decided here.
 */

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { userInfo } from 'node:os';
import { type Refusal, refusal } from '../model/refusal.ts';

export interface Caller {
  readonly uid: number;
  readonly user: string;
}

export type Identified =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly refusal: Refusal };

export type Identity = (socket: Socket) => Identified;

export interface IdentityFacts {
  /** The user the yard runs as. */
  readonly ownerUid: number;
  /** SO_PEERCRED of a connected unix socket; null, or an error, when the kernel does not say. */
  readonly peerCredentials: (fd: number) => { readonly uid: number } | null;
  readonly userName: (uid: number) => string;
}

const ROOT_UID = 0;

export function createIdentity({ ownerUid, peerCredentials, userName }: IdentityFacts): Identity {
  // A connection cannot change hands, and many requests may come over one.
  const known = new WeakMap<Socket, Identified>();
  const look = (socket: Socket): Identified => {
    const peer = peerOf(socket, peerCredentials);
    if (peer === null) {
      return { ok: false, refusal: refusal('notAllowed', 'the yard cannot tell who is calling') };
    }
    if (peer.uid !== ownerUid && peer.uid !== ROOT_UID) {
      const names = `${userName(ownerUid)} and you are ${userName(peer.uid)}`;
      const hint = 'start a yard of your own: trainyard up';
      return { ok: false, refusal: refusal('notAllowed', `this yard belongs to ${names}`, hint) };
    }
    return { ok: true, caller: { uid: peer.uid, user: userName(peer.uid) } };
  };
  return (socket) => {
    const before = known.get(socket);
    if (before !== undefined) return before;
    const found = look(socket);
    known.set(socket, found);
    return found;
  };
}

/** Not to know is not to serve: the error says no more than null does. */
function peerOf(
  socket: Socket,
  peerCredentials: IdentityFacts['peerCredentials'],
): { readonly uid: number } | null {
  const fd = descriptorOf(socket);
  if (fd === null) return null;
  try {
    return peerCredentials(fd);
  } catch {
    return null;
  }
}

/** Names from /etc/passwd, read again only for somebody new; a user without a name goes by number. */
export function userNames(passwdFile = '/etc/passwd'): (uid: number) => string {
  const names = new Map<number, string>();
  const own = ownName();
  if (own !== null) names.set(own.uid, own.user);
  return (uid) => {
    if (!names.has(uid))
      for (const [id, name] of readPasswd(passwdFile)) if (!names.has(id)) names.set(id, name);
    return names.get(uid) ?? `${uid}`;
  };
}

function ownName(): Caller | null {
  try {
    const { uid, username } = userInfo();
    return { uid, user: username };
  } catch {
    // A container may run as a number that has no name.
    return null;
  }
}

function readPasswd(file: string): [number, string][] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  const found: [number, string][] = [];
  for (const line of text.split('\n')) {
    const [name, , uid] = line.split(':');
    if (name && uid !== undefined && /^\d+$/.test(uid)) found.push([Number(uid), name]);
  }
  return found;
}

/** Node has no public way to a socket's descriptor; its handle has carried one for as long as there is one. */
function descriptorOf(socket: Socket): number | null {
  const handle = (socket as unknown as { _handle?: { fd?: unknown } | null })._handle;
  const fd = handle?.fd;
  return typeof fd === 'number' && fd >= 0 ? fd : null;
}
