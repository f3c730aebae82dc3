/**
 * What the file of a rank and the process table say about it, whoever started it. This is how an agent finds
 * its way after a crash. The first line of the file decides whose the rank is, so that two who want it, or one
 * who wants it and one who forbids it, cannot both have their way.
 */

import { appendFileSync, existsSync } from 'node:fs';
import { printable } from '../model/bytes.ts';
import type { AttemptId } from '../model/ids.ts';
import { readHead } from '../platform/files.ts';
import { bootId, isAlive, type ProcessIdentity } from '../platform/processes.ts';
import { type ExitRecord, parseExitRecord } from './exit-record.ts';
import { type RankName, shimWithPid } from './members.ts';
import { rankPath, type YardFiles } from './yard-files.ts';

export type RankState =
  /** No shim has claimed it; one may still do so if the file is there. */
  | { readonly kind: 'unclaimed' }
  /** Somebody made sure that it never runs. */
  | { readonly kind: 'revoked'; readonly fault: string | null }
  /** `sinceTicks`: its shim has had it for so long. */
  | { readonly kind: 'running'; readonly shim: ProcessIdentity; readonly sinceTicks: number }
  | { readonly kind: 'ended'; readonly record: ExitRecord; readonly shimPid: number | null }
  /** A shim had it and is gone, with nothing written down. */
  | { readonly kind: 'vanished'; readonly reason: string };

const REVOKED = 'revoked';

export function rankState(files: YardFiles, yardId: string, attempt: AttemptId, rank: number): RankState {
  const { claim, record } = readRank(files, attempt, rank);
  if (claim !== null && !isByShim(claim)) return { kind: 'revoked', fault: claim.fault };
  // Without a claim: somebody cleaned up while it ran, and its end made the file anew.
  if (record !== null) return { kind: 'ended', record, shimPid: claim?.pid ?? null };
  if (claim === null) return { kind: 'unclaimed' };
  if (claim.bootId !== bootId()) return { kind: 'vanished', reason: 'the machine restarted' };
  const shim = shimOf(claim, { yardId, rankPath: rankPath(files, attempt, rank), attempt, rank });
  if (shim !== null) return { kind: 'running', shim, sinceTicks: claim.handedOn?.atTicks ?? shim.startTicks };
  // Whatever it wrote was written before it died, so that looking again now settles it.
  const late = readRank(files, attempt, rank).record;
  if (late !== null) return { kind: 'ended', record: late, shimPid: claim.pid };
  return { kind: 'vanished', reason: 'its shim ended without leaving an exit status' };
}

/** Whose a rank is: a shim's, or nobody's for good. */
export type Claim = ShimClaim | { readonly fault: string | null };

export interface ShimClaim {
  readonly pid: number;
  readonly bootId: string;
  /** What was known of a shim that had other ranks before. */
  readonly handedOn: HandedOn | null;
}

export interface HandedOn {
  readonly startTicks: number;
  readonly atTicks: number;
  /** What its earlier ranks used. */
  readonly cpuMs: number;
}

export interface RankFile {
  readonly claim: Claim | null;
  readonly record: ExitRecord | null;
}

export function readRank(files: YardFiles, attempt: AttemptId, rank: number): RankFile {
  const path = rankPath(files, attempt, rank);
  // Looking first is much cheaper than an error, and before a start there is none.
  const text = existsSync(path) ? readHead(path) : '';
  const claim = parseClaim(text);
  const record = parseExitRecord(text);
  if (record === null || claim === null || !isByShim(claim) || claim.handedOn === null)
    return { claim, record };
  return { claim, record: { ...record, cpuMs: Math.max(0, record.cpuMs - claim.handedOn.cpuMs) } };
}

/** What a shim adds to its number to claim a rank. */
export function claimWords(handedOn: HandedOn | null): string {
  if (handedOn === null) return bootId();
  return `${bootId()} ${handedOn.startTicks} ${handedOn.atTicks} ${handedOn.cpuMs}`;
}

/**
 * Makes sure that a rank which nobody has claimed never runs, and notes the reason if that is a fault. False
 * when a shim was quicker.
 */
export function revoke(
  files: YardFiles,
  attempt: AttemptId,
  rank: number,
  fault: string | null = null,
): boolean {
  const before = readRank(files, attempt, rank).claim;
  if (before !== null) return !isByShim(before);
  const line = fault === null ? REVOKED : `${REVOKED} ${printable(fault)}`;
  appendFileSync(rankPath(files, attempt, rank), `${line}\n`, { mode: 0o600 });
  const after = readRank(files, attempt, rank).claim;
  return after !== null && !isByShim(after);
}

function isByShim(claim: Claim): claim is ShimClaim {
  return 'pid' in claim;
}

function parseClaim(text: string): Claim | null {
  const newline = text.indexOf('\n');
  if (newline < 0) return null;
  const line = text.slice(0, newline);
  if (line.startsWith(REVOKED)) return { fault: line.slice(REVOKED.length).trim() || null };
  const match = /^(\d+) (\S+)(?: (\d+) (\d+) (\d+))?$/.exec(line);
  if (match === null) return null;
  const [, pid, boot, startTicks, atTicks, cpuMs] = match;
  const handedOn =
    cpuMs === undefined
      ? null
      : { startTicks: Number(startTicks), atTicks: Number(atTicks), cpuMs: Number(cpuMs) };
  return { pid: Number(pid), bootId: boot as string, handedOn };
}

/** The shim that made this claim, if it is still there. */
function shimOf({ pid, handedOn }: ShimClaim, name: RankName): ProcessIdentity | null {
  if (handedOn === null) return shimWithPid(pid, name);
  const identity = { pid, startTicks: handedOn.startTicks, bootId: bootId() };
  return isAlive(identity) ? identity : null;
}
