/**
 * The end of an attempt whose ranks have all ended: the shims are reaped, the post-hooks tidy up, and what
 * happened is put into one observation.
 */

import type { DeviceUse } from '../model/device-use.ts';
import type { Exit, Usage } from '../model/job.ts';
import type { Progress } from '../model/keeping.ts';
import { SIGKILL, SIGTERM } from '../model/signals.ts';
import type { Reaped } from '../platform/libc.ts';
import { exitOf, exitOfReturned } from './exit-record.ts';
import { faultSentence, refusalSentence } from './faults.ts';
import { type Findings, runAfter } from './hooks/hook.ts';
import { keepsSomething } from './keep-order.ts';
import type { Ended } from './keeping.ts';
import {
  holdsDevices,
  type LiveAttempt,
  type LiveRank,
  livingShim,
  remainsOf,
  type Shim,
  workDirOf,
} from './live.ts';
import { saysItRanOut } from './out-of-device-memory.ts';
import type { AgentParts } from './parts.ts';

/** A shim whose record is there, and that gets no other attempt, is about to exit: worth a moment of waiting. */
const LOOKS = 12;
const LOOKS_WITHOUT_PAUSE = 3;

export async function finishAttempt(parts: AgentParts, live: LiveAttempt): Promise<Ended> {
  const wasShort = performance.now() - live.runningSince < parts.shortJobMs;
  for (const rank of live.ranks) {
    // A caller has a life of its own after it.
    if (rank.shim?.kind !== 'caller' && !handOn(parts, rank, wasShort)) await awaitShim(rank);
  }
  const findings = await tidyAttempt(parts, live);
  if (findings.oomKills > 0) {
    live.overMemory = true;
    parts.speaking.lastWords(live, live.job, live.attempt);
  }
  if (await saysItRanOut(live)) live.ranOutOfDevice = true;
  return {
    type: 'attemptEnded',
    attempt: live.attempt.id,
    exit: exitOfAttempt(live),
    usage: usageOf(live, findings, parts.devices.end(live)),
    fault: faultOf(live),
    ...progressOf(parts, live),
  };
}

/** What its program said last about how far it has come; most say nothing. */
export function progressOf({ ownDirs }: AgentParts, live: LiveAttempt): { readonly progress?: Progress } {
  const progress = live.hasOwnDir ? ownDirs.progress(live.attempt.id) : null;
  return progress === null ? {} : { progress };
}

/** Runs the post-hooks, and gives what they found out. */
export async function tidyAttempt(parts: AgentParts, live: LiveAttempt): Promise<Findings> {
  const findings: Findings = { peakBytes: live.measuredPeakBytes, oomKills: 0, wasForced: false };
  const hasSteps = [...live.steps.values()].some(({ over }) => !over);
  // Where nothing was ever run, nobody of it can be on a device.
  const wasHeldOnly = live.ranks.every(({ end }) => end?.kind === 'returned');
  await runAfter(
    parts.hooks,
    {
      remains: remainsOf(live),
      holdsDevices: holdsDevices(live) && !wasHeldOnly,
      hasSteps,
      isKept: keepsSomething(live.job),
      findings,
      askedBy: live.killing ? null : live.askedBy,
    },
    parts.log,
  );
  if (findings.wasForced) live.wasForced = true;
  live.hasOwnDir = parts.ownDirs.isThere(live.attempt.id);
  return findings;
}

/**
 * Lets the shim wait for another attempt, if this one was short, ended of its own accord and left nobody
 * behind. Otherwise the shim goes, and tells by that what it used.
 */
function handOn({ shims }: AgentParts, rank: LiveRank, wasShort: boolean): boolean {
  const { shim, end } = rank;
  if (shim?.kind !== 'child') return false;
  const ranToTheEnd = end?.kind === 'recorded' && end.record.status !== null && !rank.signalled;
  if (!wasShort || !ranToTheEnd || !shims.keep(shim)) {
    shims.letGo(shim);
    return false;
  }
  shim.cpuMs += end.record.cpuMs;
  shim.userCpuMs += end.record.userCpuMs;
  rank.shim = { kind: 'handedOn' };
  return true;
}

async function awaitShim(rank: LiveRank): Promise<void> {
  for (let look = 1; livingShim(rank) !== null && look < LOOKS; look++) {
    await new Promise<void>((resolve) => {
      if (look <= LOOKS_WITHOUT_PAUSE) setImmediate(resolve);
      else setTimeout(resolve, 1);
    });
  }
}

function exitOfAttempt(live: LiveAttempt): Exit {
  const rank = live.failed ?? live.ranks.find((each) => each.end?.kind === 'revoked') ?? live.ranks[0];
  const end = rank?.end ?? null;
  if (end?.kind === 'revoked') return { code: null, signal: SIGTERM, outOfMemory: false };
  if (end?.kind === 'returned') return exitOfReturned(end.how);
  if (end?.kind === 'abandoned') return { code: null, signal: SIGKILL, outOfMemory: false };
  if (end?.kind !== 'recorded' || end.record.status === null || refusalOf(live) !== null) {
    return { code: null, signal: null, outOfMemory: false };
  }
  const exit = exitOf(end.record.status, {
    plainCommand: live.job.spec.program.script === null,
    signalled: rank?.signalled ?? false,
    outOfMemory: live.overMemory,
  });
  return live.ranOutOfDevice && exit.code !== 0 ? { ...exit, deviceOutOfMemory: true } : exit;
}

function faultOf(live: LiveAttempt): string | null {
  const rank = live.failed;
  if (rank?.end?.kind === 'fault') return rank.end.sentence;
  if (rank?.end?.kind !== 'recorded' || rank.end.record.fault === null) return refusalOf(live);
  return faultSentence(rank.end.record.fault, workDirOf(live), rank.place);
}

/** A program that cannot be executed is an exit status like another, unless the job's faults are to be looked at. */
function refusalOf({ failed, job }: LiveAttempt): string | null {
  if (failed?.end?.kind !== 'recorded' || failed.end.record.refused === null) return null;
  return job.spec.aftermath?.faultsAreErrors === true ? refusalSentence(failed.end.record.refused) : null;
}

function usageOf(
  live: LiveAttempt,
  findings: Findings,
  deviceUses: readonly DeviceUse[] | null,
): Usage | null {
  const ran = live.ranks.filter((rank) => rank.end?.kind === 'recorded' && rank.end.record.status !== null);
  const devices = deviceUses === null || deviceUses.length === 0 ? {} : { devices: deviceUses };
  // Of one whose caller has gone without a word, only what was seen on devices is known.
  if (ran.length === 0) return devices.devices === undefined ? null : { ...NOTHING_COUNTED, ...devices };
  const peaks = ran.map(peakOf).filter((bytes) => bytes !== null);
  return {
    peakMemoryBytes: findings.peakBytes ?? (peaks.length === 0 ? null : Math.max(...peaks)),
    cpuMs: ran.reduce((sum, rank) => sum + cpuOf(rank, 'cpuMs'), 0),
    userCpuMs: ran.reduce((sum, rank) => sum + cpuOf(rank, 'userCpuMs'), 0),
    ...devices,
  };
}

const NOTHING_COUNTED: Usage = { peakMemoryBytes: null, cpuMs: null };

/**
 * A shim starts out with our own memory in its account, so a peak means something only above our own. Ours
 * is asked for again only by those above what it was, since it never falls and asking is slow. Of a shim that
 * had several attempts nobody knows whose peak it was.
 */
let ownPeakBytes = 0;

function peakOf({ shim }: LiveRank): number | null {
  const reaped = reapedAfterOne(shim);
  if (reaped === null) return null;
  const { peakBytes } = reaped;
  if (peakBytes > ownPeakBytes) ownPeakBytes = process.resourceUsage().maxRSS * 1024;
  return peakBytes > ownPeakBytes ? peakBytes : null;
}

function cpuOf({ shim, end }: LiveRank, part: 'cpuMs' | 'userCpuMs'): number {
  return reapedAfterOne(shim)?.[part] ?? (end?.kind === 'recorded' ? end.record[part] : 0);
}

function reapedAfterOne(shim: Shim | null): Reaped | null {
  return shim?.kind === 'child' && shim.attempts === 1 && shim.reaped !== 'gone' ? shim.reaped : null;
}
