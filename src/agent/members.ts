/**
 * Which processes belong to an attempt: those in its control groups, those in the session of one of its
 * shims, and those that carry its marker in their environment, wherever they went. Never a shim, which has
 * no such marker itself, a zombie, or ourselves.
 */

import type { AttemptId } from '../model/ids.ts';
import {
  bootId,
  commandLine,
  environmentValue,
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
        if (inGroups.has(info.pid)) return true;
        // Whoever was there before was left behind by an earlier attempt of the same shim.
        if (info.startTicks < target.sinceTicks) return false;
        if (target.shims.includes(info.session)) return true;
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
  readonly rankPath: string;
  readonly attempt: AttemptId;
  readonly rank: number;
}

/** The process with this number, if it was started as the shim of this rank. */
export function shimWithPid(pid: number, name: RankName): ProcessIdentity | null {
  const info = processInfo(pid);
  if (info === null || !isShim(info, name)) return null;
  return { pid, startTicks: info.startTicks, bootId: bootId() };
}

/**
 * The shim of a rank when nobody knows its number: one that was started as that, or in whose session a process
 * of the rank is. A job may lead sessions too, but the shim was first.
 */
export function findShim(name: RankName): ProcessIdentity | null {
  const processes = listProcesses();
  const sessions = new Set(processes.filter(({ pid }) => isOfRank(pid, name)).map((info) => info.session));
  const shims = processes.filter(
    (info) => isShim(info, name) || (sessions.has(info.pid) && leadsForYard(info, name.yardId)),
  );
  const first = shims.sort((a, b) => a.startTicks - b.startTicks)[0];
  return first === undefined ? null : { pid: first.pid, startTicks: first.startTicks, bootId: bootId() };
}

/** It leads a session of this yard and was started with the rank's file among its arguments. */
function isShim(info: ProcessInfo, { yardId, rankPath }: RankName): boolean {
  return leadsForYard(info, yardId) && commandLine(info.pid).includes(rankPath);
}

function leadsForYard(info: ProcessInfo, yardId: string): boolean {
  if (info.pid !== info.session || info.state === 'Z' || info.state === 'X') return false;
  return environmentValue(info.pid, MARKER_YARD) === yardId;
}

function isOfRank(pid: number, { yardId, attempt, rank }: RankName): boolean {
  const environment = readEnvironment(pid);
  return (
    environment !== null &&
    valueIn(environment, MARKER_YARD) === yardId &&
    valueIn(environment, MARKER_ATTEMPT) === attempt &&
    valueIn(environment, MARKER_RANK) === `${rank}`
  );
}
