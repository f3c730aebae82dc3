/**
 * Who calls, as the kernel knows it: the user at the other end of the unix socket. A yard serves its owner
 * and root, nobody else. What a caller may do after that is not decided here.
 */

import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { userInfo } from 'node:os';
import type { UserView } from '../model/query.ts';
import { type Refusal, refusal } from '../model/refusal.ts';
import { descriptorOf } from '../platform/socket-descriptor.ts';

export interface Caller {
  readonly uid: number;
  readonly user: string;
  /** The process that connected; null when the kernel does not say. */
  readonly pid: number | null;
}

export type Identified =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly refusal: Refusal };

export type Identity = (socket: Socket) => Identified;

export interface IdentityFacts {
  /** The user the yard runs as. */
  readonly ownerUid: number;
  /** SO_PEERCRED of a connected unix socket; null, or an error, when the kernel does not say. */
  readonly peerCredentials: (fd: number) => Peer | null;
  readonly userName: (uid: number) => string;
}

/** A process of another namespace has the number 0 here. */
interface Peer {
  readonly uid: number;
  readonly pid: number;
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
    return { ok: true, caller: { uid: peer.uid, user: userName(peer.uid), pid: peer.pid || null } };
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
function peerOf(socket: Socket, peerCredentials: IdentityFacts['peerCredentials']): Peer | null {
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
  const own = ownAccount();
  if (own !== null) names.set(own.uid, own.user);
  return (uid) => {
    if (!names.has(uid))
      for (const [id, name] of readPasswd(passwdFile)) if (!names.has(id)) names.set(id, name);
    return names.get(uid) ?? `${uid}`;
  };
}

/** Users by name or number, with their groups; the files are read again only for somebody new. */
export function usersByName(
  passwdFile = '/etc/passwd',
  groupFile = '/etc/group',
): (name: string) => UserView | null {
  const users = new Map<string, UserView>();
  const byNumber = new Map<string, UserView>();
  const groups = new Map<number, string>();
  const read = () => {
    for (const [name = '', , gid = ''] of recordsOf(groupFile)) groups.set(Number(gid), name);
    const enter = (name: string, uid: number, gid: number) => {
      const view = { name, uid, gid, group: groups.get(gid) ?? `${gid}` };
      users.set(name, view);
      // Of several names for one number the first counts, as it does for the system.
      if (!byNumber.has(`${uid}`)) byNumber.set(`${uid}`, view);
    };
    const own = ownAccount();
    if (own !== null) enter(own.user, own.uid, own.gid);
    for (const [name = '', , uid, gid] of recordsOf(passwdFile)) enter(name, Number(uid), Number(gid));
  };
  return (name) => {
    if (!users.has(name) && !byNumber.has(name)) read();
    return users.get(name) ?? byNumber.get(name) ?? null;
  };
}

function ownAccount(): (Pick<Caller, 'uid' | 'user'> & { readonly gid: number }) | null {
  try {
    const { uid, gid, username } = userInfo();
    return { uid, gid, user: username };
  } catch {
    // A container may run as a number that has no name.
    return null;
  }
}

function readPasswd(file: string): [number, string][] {
  return recordsOf(file).map(([name = '', , uid]) => [Number(uid), name]);
}

/** Lines of fields with colons between them: a name first, a number third. */
function recordsOf(file: string): string[][] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter(([name, , number]) => name !== '' && number !== undefined && /^\d+$/.test(number));
}
