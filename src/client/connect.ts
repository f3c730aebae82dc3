/**
 * Finds the yard that answers, and connects to it. Before anything is sent, the kernel says who listens at the other end of
 * this very connection (places.ts has the rule). It never starts a yard.
 */

import { watch } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { RefusalError, refusal } from '../model/refusal.ts';
import type { Peer } from '../platform/libc.ts';
import { descriptorOf } from '../platform/socket-descriptor.ts';
import { ownUid, type Place, type Places } from './places.ts';
import { lookForPointer, type YardAddress } from './yard-pointer.ts';

export interface FoundYard extends YardAddress {
  readonly directory: string;
}

/** Throws a RefusalError when somebody named a directory that cannot be trusted; other such places are passed over. */
export async function findYard(places: Places): Promise<FoundYard | null> {
  for (const place of places.directories) {
    try {
      const yard = await yardAt(place, places);
      if (yard !== null) return yard;
    } catch (error) {
      if (!(error instanceof RefusalError) || places.explicit) throw error;
    }
  }
  return null;
}

/** Null: no yard answers there. Throws a RefusalError when what is there cannot be trusted. */
async function yardAt(place: Place, whose: Omit<Places, 'directories'>): Promise<FoundYard | null> {
  const found = lookForPointer(place, whose);
  if (found.kind === 'nothing') return null;
  if (found.kind === 'untrusted') throw untrusted(place.path, found.why);
  try {
    (await connectTo(found.address)).destroy();
    return { directory: place.path, ...found.address };
  } catch (error) {
    if (error instanceof RefusalError) throw error;
    return null;
  }
}

/** Waits for a yard of this user that somebody else is starting there; null when none answers in time. */
export function awaitYard(directory: string, timeoutMs: number): Promise<FoundYard | null> {
  return new Promise((resolve) => {
    const place = { path: directory, inSharedDirectory: false };
    let looking = false;
    const look = async () => {
      if (looking) return;
      looking = true;
      const yard = await yardAt(place, { uid: ownUid(), explicit: false }).catch(() => null);
      looking = false;
      if (yard !== null) finish(yard);
    };
    const watcher = watch(directory, look);
    watcher.on('error', () => {});
    // Where the kernel reports no changes (some network file systems), looking again has to do.
    const again = setInterval(look, 250);
    const late = setTimeout(() => finish(null), timeoutMs);
    const finish = (yard: FoundYard | null) => {
      watcher.close();
      clearInterval(again);
      clearTimeout(late);
      resolve(yard);
    };
    void look();
  });
}

/**
 * A connection of which the kernel has said that one of the listeners is at its other end. Throws a RefusalError when it is
 * somebody else, and otherwise as `connect` does.
 */
export async function connectTo(address: YardAddress): Promise<Socket> {
  return (await verifiedConnection(address)).socket;
}

/** The process that listens there, as the kernel knows it; null when it is none that can be seen from here. */
export async function processAt(address: YardAddress): Promise<number | null> {
  const { socket, listener } = await verifiedConnection(address);
  socket.destroy();
  return listener.pid > 0 ? listener.pid : null;
}

interface VerifiedConnection {
  readonly socket: Socket;
  readonly listener: Peer;
}

async function verifiedConnection(address: YardAddress): Promise<VerifiedConnection> {
  // Loaded only now: it takes longer than all else here, and whoever finds no yard does not need it.
  const { peerOf } = await import('../platform/libc.ts');
  return new Promise((resolve, reject) => {
    const socket = connect(address.socketPath);
    socket.once('error', reject);
    socket.once('connect', () => {
      try {
        const listener = peerOf(descriptorOf(socket) ?? -1);
        verifyListener(address, listener.uid);
        resolve({ socket, listener });
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
    // Whoever gets the connection sees its end; an error after that says no more.
    socket.on('error', () => {});
  });
}

function verifyListener({ socketPath, listeners }: YardAddress, uid: number): void {
  if (listeners.includes(uid)) return;
  const sentence = `user ${uid} listens at ${socketPath}, where a yard of yours should: nothing was sent`;
  throw new RefusalError(refusal('notAllowed', sentence, HINT));
}

function untrusted(directory: string, why: string): RefusalError {
  const sentence = `the yard in ${directory} cannot be trusted: ${why}`;
  return new RefusalError(refusal('notAllowed', sentence, HINT));
}

const HINT = 'name a directory of your own with TRAINYARD_DIR';
