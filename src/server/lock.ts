/**
 * One daemon per directory. The lock is the kernel's (flock on the file `lock`), so that it is gone with its
 * holder however that ended; what the file says is only for people, and for hosts that share the directory.
 */

import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  readonly startedAt: string;
}

export type LockResult =
  | { readonly ok: true; release(): void }
  | { readonly ok: false; readonly sentence: string };

export interface LockRequest {
  readonly directory: string;
  readonly holder: LockHolder;
  /** True when the lock is ours now; false when somebody has it. */
  readonly lockExclusively: (fd: number) => boolean;
}

export const LOCK_FILE = 'lock';

export function acquireLock({ directory, holder, lockExclusively }: LockRequest): LockResult {
  const path = `${directory}/${LOCK_FILE}`;
  const fd = openSync(path, 'a+', 0o600);
  if (!lockExclusively(fd)) {
    closeSync(fd);
    return { ok: false, sentence: describeHolder(directory, readHolder(path), holder.host) };
  }
  ftruncateSync(fd, 0);
  writeSync(fd, `${JSON.stringify(holder)}\n`);
  return { ok: true, release: () => closeSync(fd) };
}

function readHolder(path: string): LockHolder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockHolder;
  } catch {
    // Taken a moment ago and not written yet.
    return null;
  }
}

function describeHolder(directory: string, holder: LockHolder | null, ownHost: string): string {
  if (holder === null) return `another yard is starting in ${directory}`;
  const where = holder.host === ownHost ? '' : ` on ${holder.host}`;
  const elsewhere = holder.host === ownHost ? '' : '; use it from there, or name another with TRAINYARD_DIR';
  return `a yard already runs in ${directory} (process ${holder.pid}${where}, since ${holder.startedAt})${elsewhere}`;
}
