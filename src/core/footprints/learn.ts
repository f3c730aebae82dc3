/**
 * What runs teach about their kind. A run that went to its end, or long enough, counts; one that failed early says only
 * that more than it had seen is needed, if it says anything.
 */

import type { DeviceUse } from '../../model/device-use.ts';
import {
  type Footprint,
  type FootprintKey,
  NO_SPREAD,
  pageOf,
  saysHowMuch,
  spreadWith,
} from '../../model/footprint.ts';
import type { Attempt, Exit, Job, Usage } from '../../model/job.ts';
import { deviceOf } from '../devices.ts';
import { WHOLE_DEVICE_MILLIS } from '../ledger.ts';
import type { YardState } from '../state.ts';
import { record, type Turn } from '../turn.ts';
import { pagesToLearn } from './book.ts';
import { footprintKeys } from './keys.ts';

/** A run of which there are fewer looks than these was over before anybody could say what it uses. */
const FEWEST_SAMPLES = 2;
/** One that failed or was ended sooner may not have got to where it uses most. */
const LONG_ENOUGH_MS = 60_000;
/** More kinds than these, and the one that was not seen for longest is forgotten. */
const MOST_FOOTPRINTS = 5_000;

export interface Lesson {
  readonly job: Job;
  readonly attempt: Attempt;
  readonly uses: readonly DeviceUse[];
  readonly ranMs: number;
  readonly endedWell?: boolean;
  /** And it had run out of memory before, or was stopped, and had whole devices this time. */
  readonly isRepeatedAlone?: boolean;
}

/** At the end of an attempt. */
export function learnFromEnd(turn: Turn, job: Job, attempt: Attempt, exit: Exit, usage: Usage | null): void {
  const uses = (usage?.devices ?? []).filter(({ samples }) => samples >= FEWEST_SAMPLES);
  const ranMs = (attempt.endedAt ?? turn.now) - (attempt.startedAt ?? turn.now) - attempt.suspendedMs;
  const endedWell = exit.code === 0;
  const isRepeatedAlone = endedWell && job.restarts > 0 && hasWholeDevices(attempt);
  const lesson = { job, attempt, uses, ranMs, endedWell, isRepeatedAlone };
  const ranToItsEnd = endedWell || attempt.stop?.cause === 'timeLimit';
  const counts = ranToItsEnd || ranMs >= LONG_ENOUGH_MS;
  for (const [device, peak] of peaksByDevice(uses)) {
    for (const key of footprintKeys(job.spec)) {
      const before = turn.state.footprints.get(pageOf(key.text, device));
      const isMore = before !== undefined && peak.memoryBytes > before.memory.max;
      if (counts || isMore) write(turn, taught(before, key, device, peak, lesson, turn.now, usage), lesson);
    }
  }
  if (endedWell) noteElusive(turn, lesson);
}

/** It ended well and too soon for anybody to see what it used: its equals need not wait one for another. */
function noteElusive(turn: Turn, lesson: Lesson): void {
  const { job, attempt } = lesson;
  for (const [key, device] of pagesToLearn(job.spec, attempt.placement)) {
    if (turn.state.footprints.has(pageOf(key.text, device))) continue;
    const times = { firstSeenAt: turn.now, lastSeenAt: turn.now };
    write(turn, { key, device, ...NOTHING_SEEN, ...times, isProvisional: false }, lesson);
  }
}

/** While it runs: what it has shown by now counts until something better is known. */
export function learnProvisionally(turn: Turn, lesson: Lesson): void {
  for (const [device, peak] of peaksByDevice(lesson.uses)) {
    for (const key of footprintKeys(lesson.job.spec)) {
      const before = turn.state.footprints.get(pageOf(key.text, device));
      if (before !== undefined && saysHowMuch(before)) continue;
      const footprint = taught(undefined, key, device, peak, lesson, turn.now, null);
      write(turn, { ...footprint, isProvisional: true }, lesson);
    }
  }
}

/** It ran out of the memory of a device that it had only a part of: its kind needs more than that. */
export function learnFromRunningOut(turn: Turn, job: Job, attempt: Attempt, usage: Usage | null): void {
  const peaks = peaksByDevice(usage?.devices ?? []);
  for (const [device, { reservedBytes, totalBytes }] of reservedByDevice(turn.state, attempt)) {
    const seen = peaks.get(device)?.memoryBytes ?? 0;
    const atLeastBytes = Math.min(totalBytes, Math.ceil(Math.max(reservedBytes * 1.5, seen * 1.25)));
    for (const key of footprintKeys(job.spec)) {
      const before = turn.state.footprints.get(pageOf(key.text, device));
      if (before === undefined || (before.atLeastBytes ?? 0) >= atLeastBytes) continue;
      const footprint = { ...before, atLeastBytes, lastSeenAt: turn.now };
      write(turn, footprint, { job, attempt, uses: [], ranMs: 0 });
    }
  }
}

interface Peak {
  readonly memoryBytes: number;
  readonly loadMillis: number | null;
}

/** A job of several devices counts by the one of each model that it used most. */
function peaksByDevice(uses: readonly DeviceUse[]): ReadonlyMap<string, Peak> {
  const peaks = new Map<string, Peak>();
  for (const { kind, memoryBytes, loadMillis } of uses) {
    const before = peaks.get(kind);
    const loads = [before?.loadMillis ?? null, loadMillis?.mean ?? null].filter((load) => load !== null);
    peaks.set(kind, {
      memoryBytes: Math.max(before?.memoryBytes ?? 0, memoryBytes.peak),
      loadMillis: loads.length === 0 ? null : Math.max(...loads),
    });
  }
  return peaks;
}

function hasWholeDevices({ placement }: Attempt): boolean {
  return placement.nodes.every(({ devices }) => devices.every(({ millis }) => millis >= WHOLE_DEVICE_MILLIS));
}

function reservedByDevice(
  state: YardState,
  { placement }: Attempt,
): ReadonlyMap<string, { readonly reservedBytes: number; readonly totalBytes: number }> {
  const reserved = new Map<string, { reservedBytes: number; totalBytes: number }>();
  for (const { node, devices } of placement.nodes) {
    for (const { index, millis } of devices) {
      const device = deviceOf(state.nodes.get(node), index);
      if (device === null) continue;
      const reservedBytes = (device.memoryBytes * millis) / 1000;
      const before = reserved.get(device.kind)?.reservedBytes ?? 0;
      reserved.set(device.kind, {
        reservedBytes: Math.max(before, reservedBytes),
        totalBytes: device.memoryBytes,
      });
    }
  }
  return reserved;
}

function taught(
  before: Footprint | undefined,
  key: FootprintKey,
  device: string,
  peak: Peak,
  { ranMs, endedWell = false, isRepeatedAlone = false }: Lesson,
  now: number,
  usage: Usage | null,
): Footprint {
  const hostBytes = usage?.peakMemoryBytes ?? null;
  const mostBefore = before?.memory.max ?? 0;
  // What was seen half-way is of a run that is told again as a whole; but another may end first, with less.
  const base = before?.isProvisional === true ? { ...before, ...NOTHING_SEEN } : before;
  const { memory, load, hostMemory, durationMs } = base ?? NOTHING_SEEN;
  const more = spreadWith(memory, peak.memoryBytes);
  const seen: Footprint = {
    ...(base ?? { key, device, firstSeenAt: now }),
    memory: { ...more, max: Math.max(more.max, mostBefore) },
    load: peak.loadMillis === null ? load : spreadWith(load, peak.loadMillis),
    hostMemory: hostBytes === null ? hostMemory : spreadWith(hostMemory, hostBytes),
    durationMs: spreadWith(durationMs, ranMs),
    lastSeenAt: now,
    isProvisional: false,
  };
  // That a run with less ran out says nothing more once one has shown how much it takes, or the same one, repeated
  // alone, that it takes no more than others: then it was a neighbour who had taken its memory.
  const { atLeastBytes: _ranOut, ...known } = seen;
  return (endedWell && peak.memoryBytes > mostBefore) || isRepeatedAlone ? known : seen;
}

const NOTHING_SEEN = { memory: NO_SPREAD, load: NO_SPREAD, hostMemory: NO_SPREAD, durationMs: NO_SPREAD };

function write(turn: Turn, footprint: Footprint, { attempt }: Lesson): void {
  const { footprints } = turn.state;
  const isNew = !footprints.has(pageOf(footprint.key.text, footprint.device));
  if (isNew && footprints.size >= MOST_FOOTPRINTS) forgetOldest(turn);
  record(turn, { type: 'footprintLearned', footprint, attempt: attempt.id, by: null });
}

function forgetOldest(turn: Turn): void {
  let oldest: Footprint | null = null;
  for (const footprint of turn.state.footprints.values()) {
    if (footprint.setBytes !== undefined) continue;
    if (oldest === null || footprint.lastSeenAt < oldest.lastSeenAt) oldest = footprint;
  }
  if (oldest === null) return;
  const { key, device } = oldest;
  record(turn, { type: 'footprintForgotten', key: key.text, device, by: 'the yard' });
}
