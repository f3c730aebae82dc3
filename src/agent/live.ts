/** The attempts that an agent has under its eyes, and what it knows of each rank. */

import type { Attempt, Job } from '../model/job.ts';
import type { Program } from '../model/job-spec.ts';
import { type Reaped, reap } from '../platform/libc.ts';
import { isAlive, type ProcessIdentity } from '../platform/processes.ts';
import type { ExitRecord } from './exit-record.ts';
import type { Target } from './members.ts';
import { type Place, placesOf } from './places.ts';
import { type RankState, rankState } from './recover.ts';
import type { YardFiles } from './yard-files.ts';

export interface LiveRank {
  readonly place: Place;
  shim: Shim | null;
  end: RankEnd | null;
  /** Whether we sent it a signal, so that dying of one is no surprise. */
  signalled: boolean;
  /** Whether no shim but ours can ever have been started for it. */
  onlyOurs: boolean;
}

export type Shim =
  | OwnShim
  /** `sinceTicks`: it has had this rank for so long. */
  | { readonly kind: 'adopted'; readonly identity: ProcessIdentity; readonly sinceTicks: number }
  /** Known only by the number that it had. */
  | { readonly kind: 'past'; readonly pid: number }
  /** It has done with this rank, in an orderly way, and may have another. */
  | { readonly kind: 'handedOn' };

/** Started by us. As long as we have not reaped it, its number belongs to nobody else. */
export interface OwnShim {
  readonly kind: 'child';
  readonly pid: number;
  reaped: Reaped | 'gone' | null;
  /** What the attempts that it may be given run; null when it gets only one. */
  readonly program: Program | null;
  /** Our end of the pipe through which it is given attempts; null when there will be no more. */
  pipe: number | null;
  attempts: number;
  /** By `performance.now()`: when it last got an attempt or was done with one. */
  usedAt: number;
  /** Asked for when it is first handed on. */
  startTicks: number | null;
  /** What its earlier attempts used. */
  cpuMs: number;
  /** What its last attempt was told in its environment. */
  variables: ReadonlyMap<string, string>;
}

export type RankEnd =
  | { readonly kind: 'recorded'; readonly record: ExitRecord }
  /** It was stopped before it began. */
  | { readonly kind: 'revoked' }
  | { readonly kind: 'fault'; readonly sentence: string };

/** What we were asked: to run it, to go on watching what was seen running, or to see that it does not run. */
export type Intent = 'start' | 'watch' | 'stop';

export interface LiveAttempt {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly ranks: readonly LiveRank[];
  readonly intent: Intent;
  /** `ending`: all ranks have ended, or it is lost; what remains is tidying and the report. */
  phase: 'starting' | 'running' | 'ending';
  /** By `performance.now()`; it may have run before we did. */
  runningSince: number;
  sinceTicks: number;
  cgroups: readonly string[];
  /** The rank that ended badly first. */
  failed: LiveRank | null;
  killing: boolean;
  /** Starting it failed for a reason that may pass, such as a full disk. */
  stalled: boolean;
  /** The file of a rank changed before we knew that its shim had started. */
  sawChangeEarly: boolean;
  overMemory: boolean;
  /** The most that was measured, where no control group does it. */
  measuredPeakBytes: number | null;
  /** What waits for it to run. */
  readonly whenRunning: (() => void)[];
}

export function newLiveAttempt(job: Job, attempt: Attempt, intent: Intent, sinceTicks: number): LiveAttempt {
  const signalled = attempt.stop !== null || attempt.warning === 'sent' || attempt.signalCount > 0;
  return {
    job,
    attempt,
    ranks: placesOf(job, attempt).map((place) => ({
      place,
      shim: null,
      end: null,
      signalled,
      onlyOurs: false,
    })),
    intent,
    phase: 'starting',
    runningSince: 0,
    sinceTicks,
    cgroups: [],
    failed: null,
    killing: false,
    stalled: false,
    sawChangeEarly: false,
    overMemory: attempt.stop?.cause === 'memory',
    measuredPeakBytes: null,
    whenRunning: [],
  };
}

/** The number of a rank's shim if that is certainly still the shim; null otherwise. */
export function livingShim({ shim }: LiveRank): number | null {
  return shim === null ? null : livingPid(shim);
}

export function livingPid(shim: Shim): number | null {
  if (shim.kind === 'past' || shim.kind === 'handedOn') return null;
  if (shim.kind === 'adopted') return isAlive(shim.identity) ? shim.identity.pid : null;
  if (shim.reaped !== null) return null;
  const result = reap(shim.pid);
  if (result === 'running') return shim.pid;
  shim.reaped = result;
  return null;
}

/** Gives a rank the shim that its claim names, where we do not know one. */
export function learnShim(files: YardFiles, yardId: string, live: LiveAttempt, rank: LiveRank): void {
  if (rank.shim !== null) return;
  const state = rankState(files, yardId, live.attempt.id, rank.place.rank);
  if (state.kind === 'running') rank.shim = adopted(state);
}

export function adopted({ shim, sinceTicks }: RankState & { readonly kind: 'running' }): Shim {
  return { kind: 'adopted', identity: shim, sinceTicks };
}

/** Where to find the processes of an attempt right now. */
export function targetOf(live: LiveAttempt): Target {
  const { sinceTicks, cgroups } = live;
  const shims = live.ranks.map(livingShim).filter((pid) => pid !== null);
  return { attempt: live.attempt.id, shims, orphans: [], sinceTicks, cgroups };
}

/** Where to find what is left of an attempt that is over. Shims have nothing more to tell and are leftovers too. */
export function remainsOf(live: LiveAttempt): Target {
  const orphans = live.ranks.flatMap(({ shim }) =>
    shim !== null && shim.kind !== 'handedOn' && livingPid(shim) === null ? [numberOf(shim)] : [],
  );
  return { ...targetOf(live), shims: [], orphans };
}

function numberOf(shim: Exclude<Shim, { readonly kind: 'handedOn' }>): number {
  return shim.kind === 'adopted' ? shim.identity.pid : shim.pid;
}

/** Whether nobody can be left who might still write to its file. */
export function isDoneWithFile({ onlyOurs, shim }: LiveRank): boolean {
  if (!onlyOurs || shim === null) return false;
  if (shim.kind === 'handedOn') return true;
  return shim.kind === 'child' && shim.reaped !== null && shim.reaped !== 'gone';
}

export function hasEnded(live: LiveAttempt): boolean {
  return live.ranks.every((rank) => rank.end !== null);
}
