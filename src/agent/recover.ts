/**
 * What the file of a rank and the process table say about it, whoever started it. This is how an agent finds
 * its way after a crash.
 */

import { existsSync } from 'node:fs';
import type { AttemptId } from '../model/ids.ts';
import type { GivenBack } from '../model/job.ts';
import { readHead } from '../platform/files.ts';
import { bootId, type ProcessIdentity } from '../platform/processes.ts';
import { withSpareFile } from '../platform/spare-file.ts';
import {
  type Claim,
  claimant,
  isByProcess,
  type ProcessClaim,
  parseClaim,
  returnFile,
  revokeFile,
} from './claim.ts';
import { type ExitRecord, parseExitRecord } from './exit-record.ts';
import { type RankName, shimWithPid } from './members.ts';
import { rankPath, type YardFiles } from './yard-files.ts';

export type RankState =
  /** No shim has claimed it; one may still do so if the file is there. */
  | { readonly kind: 'unclaimed' }
  /** Somebody made sure that it never runs. */
  | { readonly kind: 'revoked'; readonly fault: string | null }
  /** Nobody claimed it, and whoever held it has given it back. */
  | { readonly kind: 'returned'; readonly how: GivenBack }
  /** `sinceTicks`: its shim has had it for so long. */
  | { readonly kind: 'running'; readonly shim: ProcessIdentity; readonly sinceTicks: number }
  | { readonly kind: 'ended'; readonly record: ExitRecord; readonly shimPid: number | null }
  /** A shim had it and is gone, with nothing written down. */
  | { readonly kind: 'vanished'; readonly reason: string };

export function rankState(files: YardFiles, yardId: string, attempt: AttemptId, rank: number): RankState {
  const { claim, record } = readRank(files, attempt, rank);
  if (claim !== null && 'returned' in claim) return { kind: 'returned', how: claim.returned };
  if (claim !== null && !isByProcess(claim)) return { kind: 'revoked', fault: claim.fault };
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

export interface RankFile {
  readonly claim: Claim | null;
  readonly record: ExitRecord | null;
}

export function readRank(files: YardFiles, attempt: AttemptId, rank: number): RankFile {
  const path = rankPath(files, attempt, rank);
  // Looking first is much cheaper than an error, and before a start there is none.
  const text = existsSync(path) ? withSpareFile(() => readHead(path)) : '';
  const claim = parseClaim(text);
  const record = parseExitRecord(text);
  if (record === null || claim === null || !isByProcess(claim) || claim.handedOn === null)
    return { claim, record };
  const cpuMs = Math.max(0, record.cpuMs - claim.handedOn.cpuMs);
  const userCpuMs = Math.max(0, record.userCpuMs - claim.handedOn.userCpuMs);
  return { claim, record: { ...record, cpuMs, userCpuMs } };
}

/** Makes sure that a rank which nobody has claimed never runs. False when a shim was quicker. */
export function revoke(
  files: YardFiles,
  attempt: AttemptId,
  rank: number,
  fault: string | null = null,
): boolean {
  return revokeFile(rankPath(files, attempt, rank), () => readRank(files, attempt, rank).claim, fault);
}

/** Notes that the place of a rank which nobody has claimed is given back. False when it is not free for that. */
export function returnPlace(files: YardFiles, attempt: AttemptId, rank: number, how: GivenBack): boolean {
  return returnFile(rankPath(files, attempt, rank), () => readRank(files, attempt, rank).claim, how);
}

/** The shim that made this claim, if it is still there. */
function shimOf(claim: ProcessClaim, name: RankName): ProcessIdentity | null {
  return claim.handedOn === null ? shimWithPid(claim.pid, name) : claimant(claim);
}
