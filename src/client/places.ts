/**
 * Where yards are looked for, and in which order. This is the one place where the rule is written down; the
 * quick client (libexec/command.pl) follows it too, and a test holds the two together.
 *
 *   1. TRAINYARD_DIR, and then nothing else.
 *   2. trainyard in XDG_STATE_HOME, or in ~/.local/state when that is not set to an absolute path.
 *   3. /var/tmp/trainyard-UID: for homes on a network file system, homes that cannot be written, and none.
 *   4. /tmp/trainyard-UID
 *
 * A command talks to the first of these whose socket answers. A yard is made in the first that can hold one
 * (src/server/directory.ts). It must not look at any file.
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
  /** Others may write beside it: who owns it has to be looked at. */
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
