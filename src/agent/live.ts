/** The attempts that an agent has under its eyes, and what it knows of each rank. */

import type { NodeName } from '../model/ids.ts';
import type { Attempt, GivenBack, Job } from '../model/job.ts';
import type { Program } from '../model/job-spec.ts';
import { SIGTERM } from '../model/signals.ts';
import type { Step } from '../model/step.ts';
import { type Reaped, reap } from '../platform/libc.ts';
import { isAlive, type ProcessIdentity } from '../platform/processes.ts';
import type { ExitRecord } from './exit-record.ts';
import type { KeepNote } from './keep-notes.ts';
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
  /** Whoever asked for the place, and runs something in it; it had a life before. */
  | { readonly kind: 'caller'; readonly identity: ProcessIdentity; readonly sinceTicks: number }
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
  userCpuMs: number;
  /** What its last attempt was told in its environment. */
  variables: ReadonlyMap<string, string>;
}

export type RankEnd =
  | { readonly kind: 'recorded'; readonly record: ExitRecord }
  /** It was stopped before it began. */
  | { readonly kind: 'revoked' }
  /** Whoever held it from outside has said how it went. */
  | { readonly kind: 'returned'; readonly how: Exclude<GivenBack, 'killed'> }
  /** Its caller has gone without a word, and with it what it ran. */
  | { readonly kind: 'abandoned' }
  | { readonly kind: 'fault'; readonly sentence: string };

/** What we were asked: to run it, to go on watching what was seen running, or to see that it does not run. */
export type Intent = 'start' | 'watch' | 'stop';

/** A step that somebody runs, or is about to. */
export interface LiveStep {
  readonly step: Step;
  /** Who runs it; null until it has been claimed, or when whoever did is gone. */
  runner: ProcessIdentity | null;
  /** By `performance.now()`: when we first heard of it. */
  readonly knownSince: number;
  /** Its end is reported, or about to be. */
  over: boolean;
  stopping: boolean;
}

export interface LiveAttempt {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly ranks: readonly LiveRank[];
  readonly steps: Map<number, LiveStep>;
  readonly intent: Intent;
  /** `ending`: all ranks have ended, or it is lost; what remains is tidying and the report. */
  phase: 'starting' | 'running' | 'ending';
  /** By `performance.now()`; it may have run before we did. */
  runningSince: number;
  sinceTicks: number;
  cgroups: readonly string[];
  /** The rank that ended badly first. */
  failed: LiveRank | null;
  /** It is to be killed, or is being killed. */
  killing: boolean;
  /** Whether somebody of it who had stayed behind was made to end, whatever it was doing. */
  wasForced: boolean;
  /** By which signal its processes were asked to end; null: they were not. */
  askedBy: number | null;
  /** Starting it failed for a reason that may pass, such as a full disk. */
  stalled: boolean;
  /** The file of a rank changed before we knew that its shim had started. */
  sawChangeEarly: boolean;
  overMemory: boolean;
  /** Its processes are stopped where they are, or about to be. */
  isSuspended: boolean;
  /** How long its output files were when it started, by path; those that it emptied are left out. */
  outputStarts: ReadonlyMap<string, number>;
  /** The memory of a GPU was not enough for it. */
  ranOutOfDevice: boolean;
  /** The most that was measured, where no control group does it. */
  measuredPeakBytes: number | null;
  /** What was used when that became too much. */
  overMemoryBytes: number | null;
  saidLastWords: boolean;
  /** What its submitter should know before its program says anything. */
  foreword: readonly string[];
  /** That is in its output, which was emptied before if it had to be. */
  hasForeword: boolean;
  /** What it keeps, and where; null: nothing, or nothing yet. */
  kept: KeepNote | null;
  /** While that is being made ready. */
  readying: Promise<void> | null;
  /** Whether its program was seen to have made the directory that is the attempt's own. */
  hasOwnDir: boolean;
  /** Where the code is that it was submitted with; null: it has none of its own, or has not been given it. */
  codeDir: string | null;
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
    steps: new Map(),
    intent,
    phase: 'starting',
    runningSince: 0,
    sinceTicks,
    cgroups: [],
    failed: null,
    killing: false,
    wasForced: false,
    askedBy: attempt.stop === null ? null : (job.spec.stopSignal ?? SIGTERM),
    stalled: false,
    sawChangeEarly: false,
    overMemory: attempt.stop?.cause === 'memory',
    isSuspended: attempt.suspendedAt !== null,
    outputStarts: new Map(),
    ranOutOfDevice: false,
    measuredPeakBytes: null,
    overMemoryBytes: null,
    saidLastWords: false,
    foreword: [],
    hasForeword: false,
    codeDir: null,
    kept: null,
    readying: null,
    hasOwnDir: false,
    whenRunning: [],
  };
}

/** The number of a rank's shim if that is certainly still the shim; null otherwise. */
export function livingShim({ shim }: LiveRank): number | null {
  return shim === null ? null : livingPid(shim);
}

export function livingPid(shim: Shim): number | null {
  if (shim.kind === 'past' || shim.kind === 'handedOn') return null;
  if (shim.kind === 'adopted' || shim.kind === 'caller')
    return isAlive(shim.identity) ? shim.identity.pid : null;
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
  if (state.kind === 'running') rank.shim = adopted(live, state);
}

export function adopted(
  live: LiveAttempt,
  { shim, sinceTicks }: RankState & { readonly kind: 'running' },
): Shim {
  return { kind: isForCaller(live) ? 'caller' : 'adopted', identity: shim, sinceTicks };
}

/** Whether somebody else runs what there is to run, and the yard only gave the place. */
export function isForCaller({ job }: LiveAttempt): boolean {
  return job.spec.program.spread === 'caller';
}

export function holdsDevices({ attempt }: Pick<LiveAttempt, 'attempt'>): boolean {
  return attempt.placement.nodes.some(({ devices }) => devices.length > 0);
}

export function holdsDevice(
  { attempt }: Pick<LiveAttempt, 'attempt'>,
  node: NodeName,
  index: number,
): boolean {
  const share = attempt.placement.nodes.find((each) => each.node === node);
  return share?.devices.some((device) => device.index === index) === true;
}

/** Where its programs start. */
export function workDirOf({ job, codeDir }: Pick<LiveAttempt, 'job' | 'codeDir'>): string {
  return codeDir ?? job.spec.workDir;
}

/** Those who started what its submitter knows as the job: shims, or the caller. */
export function parentsOf(live: LiveAttempt): readonly number[] {
  return live.ranks.map(livingShim).filter((pid) => pid !== null);
}

/** Where to find the processes of an attempt right now. */
export function targetOf(live: LiveAttempt): Target {
  const { sinceTicks, cgroups } = live;
  const parents = parentsOf(live);
  const [shims, holders] = isForCaller(live) ? [[], parents] : [parents, []];
  const callers = [...holders, ...runnersOf(live)];
  return { attempt: live.attempt.id, step: null, shims, callers, orphans: [], sinceTicks, cgroups };
}

function runnersOf({ steps }: LiveAttempt): readonly number[] {
  const runners = [...steps.values()].flatMap(({ runner }) => runner ?? []);
  return runners.filter(isAlive).map(({ pid }) => pid);
}

/** Where to find the processes of one step. */
export function stepTargetOf(live: LiveAttempt, step: number): Target {
  return { ...targetOf(live), step, cgroups: [] };
}

/**
 * Where to find what is left of an attempt that is over. Shims and callers have nothing more to tell; those of them
 * that belong to it are leftovers too.
 */
export function remainsOf(live: LiveAttempt): Target {
  const orphans = live.ranks.flatMap(({ shim }) =>
    shim !== null && shim.kind !== 'handedOn' && shim.kind !== 'caller' && livingPid(shim) === null
      ? [numberOf(shim)]
      : [],
  );
  return { ...targetOf(live), shims: [], callers: [], orphans };
}

function numberOf(shim: Exclude<Shim, { readonly kind: 'handedOn' | 'caller' }>): number {
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

/** Asked anew after a step that may have ended it. */
export function isEnding(live: LiveAttempt): boolean {
  return live.phase === 'ending';
}
