/**
 * Finds the yard that answers. It reads the file `socket` of each place (the path of the unix socket, which
 * may be somewhere else because such a path has at most 107 bytes) and tries to connect; it never starts one.
 */

import { lstatSync, readFileSync, watch } from 'node:fs';
import { connect } from 'node:net';
import type { Places } from './places.ts';

export interface FoundYard {
  readonly directory: string;
  readonly socketPath: string;
}

export const MAX_SOCKET_PATH_BYTES = 107;

export async function findYard(places: Places): Promise<FoundYard | null> {
  for (const { path } of places.directories) {
    const yard = await yardAt(path, places.explicit ? null : places.uid);
    if (yard !== null) return yard;
  }
  return null;
}

/** With a uid, a socket that is neither theirs nor root's is left alone. */
async function yardAt(directory: string, uid: number | null): Promise<FoundYard | null> {
  const socketPath = socketPathIn(directory, uid);
  if (socketPath === null || !(await answers(socketPath))) return null;
  return { directory, socketPath };
}

/** Waits for a yard that somebody else is starting there; null when none answers in time. */
export function awaitYard(
  directory: string,
  uid: number | null,
  timeoutMs: number,
): Promise<FoundYard | null> {
  return new Promise((resolve) => {
    let looking = false;
    const look = async () => {
      if (looking) return;
      looking = true;
      const yard = await yardAt(directory, uid);
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

/** Anybody may put a directory into /tmp: what is not ours or root's would be handed our environment. */
function socketPathIn(directory: string, uid: number | null): string | null {
  try {
    const pointer = `${directory}/socket`;
    const path = readFileSync(pointer, 'utf8').split('\n')[0] as string;
    const owners = [lstatSync(pointer).uid, lstatSync(path).uid];
    const trusted = uid === null || owners.every((owner) => owner === uid || owner === 0);
    return trusted && Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES ? path : null;
  } catch {
    return null;
  }
}

function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
