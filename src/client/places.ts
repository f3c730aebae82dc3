/**
 * Where yards are looked for, in which order, and which are trusted. This is the one place where the rule is written down.
 * It is followed by yard-pointer.ts and connect.ts, libexec/command.pl, libexec/command.c and
 * python/trainyard/_pointer.py; test/client/ and test/attack/clients.test.ts hold them together.
 *
 *   1. TRAINYARD_DIR, and then nothing else.
 *   2. trainyard in XDG_STATE_HOME, or in ~/.local/state when that is not set to an absolute path.
 *   3. /var/tmp/trainyard-UID: for homes on a network file system, homes that cannot be written, and none.
 *   4. /tmp/trainyard-UID
 *
 * A command talks to the first of these whose yard answers and can be trusted. A yard is made in the first that can hold
 * one (src/server/directory.ts).
 *
 * A command sends its environment and its input, so it must not be led to somebody else's socket:
 *
 *   - The directory is opened once, and all else is read through that descriptor. In /var/tmp and /tmp the last part of
 *     the path must not be a link; in a path that the user named links are followed.
 *   - The directory belongs to the caller or to root, and nobody else may write to it. Root may name (TRAINYARD_DIR) a
 *     directory of anybody, and then trusts its owner too.
 *   - The file `socket` in it (src/model/socket-pointer.ts) is a plain file of somebody who is trusted, written for this
 *     very directory. Anything else there (a link, a fifo, a device) is no yard, and nobody waits for it.
 *   - Once connected, the kernel says who listens (SO_PEERCRED). Unless that user is trusted nothing is sent.
 *   - No reply makes a command run something that it did not ask for: only srun, salloc, qrsh and qlogin take a plan, and
 *     only from a yard of the caller or of root.
 *
 * Where somebody named the directory, a third user who owns it or who listens is refused with a sentence. Any other place
 * that cannot be trusted is passed over; when a yard is started, its remarks say which were, and why. The quick clients
 * have no sentences for this: to them it is as if there were no yard, and the full client, which they then become, looks
 * again and says it.
 *
 * This file must not look at any file.
 */

import { resolve } from 'node:path';

export interface Places {
  /** Whose yards these are. */
  readonly uid: number;
  /** Somebody named the directory, so that no other will do. */
  readonly explicit: boolean;
  readonly directories: readonly Place[];
}

export interface Place {
  readonly path: string;
  /** Others may write beside it, so that a link there may be anybody's. */
  readonly inSharedDirectory: boolean;
}

export interface PlaceFacts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workDir: string;
  readonly uid: number;
}

export function yardPlaces({ environment, workDir, uid }: PlaceFacts): Places {
  const named = environment.TRAINYARD_DIR;
  if (named !== undefined && named !== '') {
    return {
      uid,
      explicit: true,
      directories: [{ path: resolve(workDir, named), inSharedDirectory: false }],
    };
  }
  const directories: Place[] = [
    { path: `/var/tmp/trainyard-${uid}`, inSharedDirectory: true },
    { path: `/tmp/trainyard-${uid}`, inSharedDirectory: true },
  ];
  const state = stateHome(environment);
  if (state !== null) directories.unshift({ path: `${state}/trainyard`, inSharedDirectory: false });
  return { uid, explicit: false, directories };
}

export function placesOfThisProcess(): Places {
  return yardPlaces({ environment: process.env, workDir: process.cwd(), uid: ownUid() });
}

export function ownUid(): number {
  return process.geteuid?.() ?? 0;
}

function stateHome(environment: PlaceFacts['environment']): string | null {
  if (environment.XDG_STATE_HOME?.startsWith('/')) return environment.XDG_STATE_HOME;
  if (environment.HOME?.startsWith('/')) return `${environment.HOME}/.local/state`;
  return null;
}
