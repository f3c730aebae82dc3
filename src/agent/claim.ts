/**
 * The first line of the file of a rank or a step, which decides whose it is: a process, or nobody for good. Whoever
 * is first to add a line has it, so that two who want it, or one who wants it and one who forbids it, cannot both
 * have their way.
 */

import { appendFileSync } from 'node:fs';
import { printable } from '../model/bytes.ts';
import type { GivenBack } from '../model/job.ts';
import { bootId, isAlive, type ProcessIdentity } from '../platform/processes.ts';

export type Claim =
  | ProcessClaim
  /** Nobody may have it. */
  | { readonly fault: string | null }
  /** Nobody has claimed it, and whoever held it from outside has given it back. */
  | { readonly returned: GivenBack };

export interface ProcessClaim {
  readonly pid: number;
  readonly bootId: string;
  /** Known of a shim that had other ranks before, and of a caller, which did other things before. */
  readonly handedOn: HandedOn | null;
}

export interface HandedOn {
  readonly startTicks: number;
  readonly atTicks: number;
  /** What it had used by then for other ranks. */
  readonly cpuMs: number;
  readonly userCpuMs: number;
}

const REVOKED = 'revoked';
const RETURNED = 'returned';
const WAYS_BACK: readonly GivenBack[] = ['succeeded', 'failed', 'deviceOutOfMemory', 'killed'];

export function isByProcess(claim: Claim): claim is ProcessClaim {
  return 'pid' in claim;
}

/** What a shim adds to its number to claim a rank. */
export function claimWords(handedOn: HandedOn | null): string {
  if (handedOn === null) return bootId();
  return `${bootId()} ${handedOn.startTicks} ${handedOn.atTicks} ${handedOn.cpuMs} ${handedOn.userCpuMs}`;
}

/** Null while nobody has claimed it. */
export function parseClaim(text: string): Claim | null {
  const newline = text.indexOf('\n');
  if (newline < 0) return null;
  const line = text.slice(0, newline);
  if (line.startsWith(REVOKED)) return { fault: line.slice(REVOKED.length).trim() || null };
  const returned = WAYS_BACK.find((how) => line === `${RETURNED} ${how}`);
  if (returned !== undefined) return { returned };
  const match = /^(\d+) (\S+)(?: (\d+) (\d+) (\d+)(?: (\d+))?)?$/.exec(line);
  if (match === null) return null;
  const [, pid, boot, startTicks, atTicks, cpuMs, userCpuMs = 0] = match;
  const handedOn =
    cpuMs === undefined
      ? null
      : {
          startTicks: Number(startTicks),
          atTicks: Number(atTicks),
          cpuMs: Number(cpuMs),
          userCpuMs: Number(userCpuMs),
        };
  return { pid: Number(pid), bootId: boot as string, handedOn };
}

/** The process that made a claim with its start in it, if it is still there. */
export function claimant({ pid, bootId: boot, handedOn }: ProcessClaim): ProcessIdentity | null {
  if (handedOn === null) return null;
  const identity = { pid, startTicks: handedOn.startTicks, bootId: boot };
  return isAlive(identity) ? identity : null;
}

/** Notes that what nobody has claimed is given back, in one line, so that it is there as a whole or not at all. False as below. */
export function returnFile(path: string, read: () => Claim | null, how: GivenBack): boolean {
  if (read() !== null) return false;
  appendFileSync(path, `${RETURNED} ${how}\n`, { mode: 0o600 });
  const after = read();
  return after !== null && 'returned' in after;
}

/**
 * Makes sure that what nobody has claimed never runs, and notes the reason if that is a fault. False when somebody
 * was quicker. `read` gives what the file holds now.
 */
export function revokeFile(path: string, read: () => Claim | null, fault: string | null): boolean {
  const before = read();
  if (before !== null) return !isByProcess(before);
  const line = fault === null ? REVOKED : `${REVOKED} ${printable(fault)}`;
  appendFileSync(path, `${line}\n`, { mode: 0o600 });
  const after = read();
  // A first line that is no claim keeps everybody out just as well.
  return after === null || !isByProcess(after);
}
