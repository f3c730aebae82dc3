/**
 * Which processes belong to an attempt: those in its control groups, those in the session of one of its
 * shims, what a caller of it runs, and those that carry its marker in their environment, wherever they went.
 * Never a shim, which has no such marker itself, a caller, a zombie, or ourselves.
 */

import type { AttemptId } from '../model/ids.ts';
import type { SignalScope } from '../model/job-spec.ts';
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
import { MARKER_ATTEMPT, MARKER_RANK, MARKER_STEP, MARKER_YARD } from './launch.ts';

export interface Target {
  readonly attempt: AttemptId;
  /** Only what carries the marker of this step; null: all of the attempt. */
  readonly step: number | null;
  /** Process numbers of shims known to be alive, and thus the numbers of their sessions. */
  readonly shims: readonly number[];
  /**
   * Process numbers of those who run steps, or the whole attempt, themselves, and are alive. Their sessions are
   * their own, but each of their children leads one that is the attempt's.
   */
  readonly callers: readonly number[];
  /** Sessions whose shim has just died. As long as somebody is left in one, its number is not given away. */
  readonly orphans: readonly number[];
  /** None of its processes started before this (ticks since boot). */
  readonly sinceTicks: number;
  readonly cgroups: readonly string[];
}

/** All processes at one moment, to be asked about several attempts. */
export interface Snapshot {
  membersOf(target: Target): readonly ProcessInfo[];
  /** Those of them that a signal of this scope is for. */
  membersIn(target: Target, scope: Exclude<SignalScope, 'main'>): readonly ProcessInfo[];
  /** By the step and the rank that they belong to. */
  membersByPart(target: Target): readonly Part[];
}

/** Who has no marker of a rank counts as the first one's. */
export interface Part {
  readonly step: number | null;
  readonly rank: number;
  readonly members: readonly ProcessInfo[];
}

interface Marker {
  readonly attempt: AttemptId;
  readonly step: number | null;
  readonly rank: number;
}

export function takeSnapshot(yardId: string): Snapshot {
  const processes = listProcesses().filter(
    (info) => info.state !== 'Z' && info.state !== 'X' && info.pid !== process.pid,
  );
  const numbers = new Set(processes.map((info) => info.pid));
  const markers = new Map<number, Marker | null>();
  const markerOf = (pid: number) => {
    const known = markers.get(pid);
    if (known !== undefined) return known;
    const read = readMarker(pid, yardId);
    markers.set(pid, read);
    return read;
  };
  const isMarked = (pid: number, { attempt, step }: Target) => {
    const marker = markerOf(pid);
    return marker !== null && marker.attempt === attempt && (step === null || marker.step === step);
  };

  function membersOf(target: Target): readonly ProcessInfo[] {
    const inGroups = new Set(target.cgroups.flatMap(cgroupMembers));
    const runByCallers = new Set(
      processes.filter(({ ppid }) => target.callers.includes(ppid)).map(({ pid }) => pid),
    );
    return processes.filter((info) => {
      if (target.shims.includes(info.pid) || target.callers.includes(info.pid)) return false;
      if (target.step !== null) return isMarked(info.pid, target);
      if (inGroups.has(info.pid)) return true;
      // Whoever was there before was left behind by an earlier attempt of the same shim.
      if (info.startTicks < target.sinceTicks) return false;
      if (target.shims.includes(info.session) || runByCallers.has(info.session)) return true;
      const orphaned = target.orphans.includes(info.session) && !numbers.has(info.session);
      return orphaned || isMarked(info.pid, target);
    });
  }

  return {
    membersOf,
    membersIn(target, scope) {
      const members = membersOf(target);
      if (scope === 'all') return members;
      return members.filter(({ pid }) => {
        const step = markerOf(pid)?.step ?? null;
        return step !== null && (scope === 'steps' || scope.step === step);
      });
    },
    membersByPart(target) {
      const parts = new Map<string, Part & { readonly members: ProcessInfo[] }>();
      for (const member of membersOf(target)) {
        const { step = null, rank = 0 } = markerOf(member.pid) ?? {};
        const part = parts.get(`${step}.${rank}`) ?? { step, rank, members: [] };
        part.members.push(member);
        parts.set(`${step}.${rank}`, part);
      }
      return [...parts.values()].sort((a, b) => (a.step ?? -1) - (b.step ?? -1) || a.rank - b.rank);
    },
  };
}

/** Every process of a yard's jobs, and their shims, but for ourselves. */
export function processesOfYard(yardId: string): readonly ProcessInfo[] {
  return listProcesses().filter(
    ({ pid, state }) =>
      state !== 'Z' && state !== 'X' && pid !== process.pid && environmentValue(pid, MARKER_YARD) === yardId,
  );
}

/** Whose a process says it is; null: nobody's of this yard, or not ours to see. */
export function readMarker(pid: number, yardId: string): Marker | null {
  const environment = readEnvironment(pid);
  if (environment === null || valueIn(environment, MARKER_YARD) !== yardId) return null;
  const attempt = valueIn(environment, MARKER_ATTEMPT);
  const step = valueIn(environment, MARKER_STEP);
  const rank = Number(valueIn(environment, MARKER_RANK) ?? 0);
  return attempt === null ? null : { attempt, step: step === null ? null : Number(step), rank };
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
