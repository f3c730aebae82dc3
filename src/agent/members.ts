/**
 * Which processes belong to an attempt: those in its control groups, those in the session of one of its
 * shims, and those that carry its marker in their environment, wherever they went. Never a shim, a zombie,
 * or ourselves.
 */

import type { AttemptId } from '../model/ids.ts';
import {
  bootId,
  listProcesses,
  type ProcessIdentity,
  type ProcessInfo,
  processInfo,
  readEnvironment,
  valueIn,
} from '../platform/processes.ts';
import { cgroupMembers } from './cgroups.ts';
import { MARKER_ATTEMPT, MARKER_RANK, MARKER_YARD } from './launch.ts';

export interface Target {
  readonly attempt: AttemptId;
  /** Process numbers of shims known to be alive, and thus the numbers of their sessions. */
  readonly shims: readonly number[];
  /** Sessions whose shim has just died. As long as somebody is left in one, its number is not given away. */
  readonly orphans: readonly number[];
  /** None of its processes started before this (ticks since boot). */
  readonly sinceTicks: number;
  readonly cgroups: readonly string[];
}

/** All processes at one moment, to be asked about several attempts. */
export interface Snapshot {
  membersOf(target: Target): readonly ProcessInfo[];
}

export function takeSnapshot(yardId: string): Snapshot {
  const processes = listProcesses().filter(
    (info) => info.state !== 'Z' && info.state !== 'X' && info.pid !== process.pid,
  );
  const numbers = new Set(processes.map((info) => info.pid));
  const markers = new Map<number, AttemptId | null>();
  const markerOf = (pid: number) => {
    const known = markers.get(pid);
    if (known !== undefined) return known;
    const read = readMarker(pid, yardId);
    markers.set(pid, read);
    return read;
  };
  return {
    membersOf(target) {
      const inGroups = new Set(target.cgroups.flatMap(cgroupMembers));
      return processes.filter((info) => {
        if (target.shims.includes(info.pid)) return false;
        if (inGroups.has(info.pid) || target.shims.includes(info.session)) return true;
        if (info.startTicks < target.sinceTicks) return false;
        const orphaned = target.orphans.includes(info.session) && !numbers.has(info.session);
        return orphaned || markerOf(info.pid) === target.attempt;
      });
    },
  };
}

function readMarker(pid: number, yardId: string): AttemptId | null {
  const environment = readEnvironment(pid);
  if (environment === null || valueIn(environment, MARKER_YARD) !== yardId) return null;
  return valueIn(environment, MARKER_ATTEMPT);
}

export interface RankName {
  readonly yardId: string;
  readonly attempt: AttemptId;
  readonly rank: number;
}

/** The process with this number, if it is the shim of this rank: it leads a session and carries the marker. */
export function shimWithPid(pid: number, name: RankName): ProcessIdentity | null {
  const info = processInfo(pid);
  if (info === null || !isShim(info, name)) return null;
  return { pid, startTicks: info.startTicks, bootId: bootId() };
}

/** The shim of a rank when nobody knows its number. A job may lead sessions too, but the shim was first. */
export function findShim(name: RankName): ProcessIdentity | null {
  const shims = listProcesses().filter((info) => isShim(info, name));
  const first = shims.sort((a, b) => a.startTicks - b.startTicks)[0];
  return first === undefined ? null : { pid: first.pid, startTicks: first.startTicks, bootId: bootId() };
}

function isShim(info: ProcessInfo, { yardId, attempt, rank }: RankName): boolean {
  if (info.pid !== info.session || info.state === 'Z' || info.state === 'X') return false;
  const environment = readEnvironment(info.pid);
  return (
    environment !== null &&
    valueIn(environment, MARKER_YARD) === yardId &&
    valueIn(environment, MARKER_ATTEMPT) === attempt &&
    valueIn(environment, MARKER_RANK) === `${rank}`
  );
}
