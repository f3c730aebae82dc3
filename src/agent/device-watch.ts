/**
 * What attempts do on the devices of this machine, watched while they hold some: every look is shared out among those
 * who hold a device, rolled up for each, and reported where the yard must know. What follows from it is decided
 * elsewhere.
 */

import { setTimeout } from 'node:timers/promises';
import type { Observation } from '../model/command.ts';
import type { DeviceNow, DeviceReading, DevicesNow, DeviceUse, TenantNow } from '../model/device-use.ts';
import type { AttemptId } from '../model/ids.ts';
import type { Node } from '../model/node.ts';
import { bootTimeMs } from '../platform/processes.ts';
import { type DeviceName, type Holder, type Holders, ownerOf } from './devices/attribution.ts';
import { createForeignReports } from './devices/foreign-reports.ts';
import { createGpuLogs } from './devices/gpu-log.ts';
import { idleWords } from './devices/idle-words.ts';
import { createDeviceNotes } from './devices/notes.ts';
import type { DeviceOptions, DeviceTimes } from './devices/options.ts';
import { createProcessBook } from './devices/process-facts.ts';
import { newsOf } from './devices/reports.ts';
import { startSampling } from './devices/sampling.ts';
import { type SharedOut, shareOut } from './devices/share-out.ts';
import {
  addSeen,
  attemptIdOf,
  goOnFrom,
  holdingOn,
  idleSince,
  newTenant,
  noteOf,
  type Tenant,
  usesOf,
} from './devices/tenant.ts';
import { isForCaller, type LiveAttempt, parentsOf } from './live.ts';
import type { YardFiles } from './yard-files.ts';

export interface DeviceWatch {
  /** It runs. */
  add(live: LiveAttempt): void;
  /** Nobody of it is left: what it has used in all; null: it held no devices, or nobody looked. */
  end(live: LiveAttempt): readonly DeviceUse[] | null;
  /** What it has used so far; null: as above. */
  usesOf(attempt: AttemptId): readonly DeviceUse[] | null;
  now(): DevicesNow;
  /** Its end is on record. */
  forget(attempt: AttemptId): void;
  /** Removes what was noted of attempts that nobody knows. */
  sweep(isKnown: (attempt: AttemptId) => boolean): void;
  remarks(): readonly string[];
  close(): Promise<void>;
}

export interface DeviceWatchParts {
  readonly files: YardFiles;
  readonly yardId: string;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly times: DeviceTimes;
  /** Whether this attempt runs, with devices or without. */
  readonly isRunning: (attempt: AttemptId) => boolean;
  /** Whether an attempt that is not seen running yet holds this device. */
  readonly isAwaited: (device: DeviceName) => boolean;
  readonly report: (observation: Observation) => void;
  readonly log: (line: string) => void;
}

/** Whether a stranger is one is found out soon. */
const LOOK_AGAIN_AFTER_MS = 1000;
const LAST_LINES_WITHIN_MS = 2000;
const NOBODY_LOOKS: DevicesNow = { source: null, devices: [] };

/** With null nobody looks. */
export function createDeviceWatch(options: DeviceOptions | null, parts: DeviceWatchParts): DeviceWatch {
  if (options === null || options.source.devices.length === 0) return BLIND;
  const { source, samplesPerSecond, learnAfterMs } = options;
  const { times, report, log } = parts;
  const tenants = new Map<AttemptId, Tenant>();
  const baselines = new Map<string, number>();
  const notes = createDeviceNotes(parts.files, log);
  const book = createProcessBook(parts.yardId, options.userName);
  const strangers = createForeignReports([...parts.nodes.keys()]);
  const gpuLogs = createGpuLogs(times.gpuLogEveryMs, log);
  const closing = new Set<Promise<void>>();
  let lastLook: readonly DeviceNow[] = [];
  const sampling = startSampling({ source, everyMs, looked, log });
  const noteTimer = setInterval(noteAll, times.noteEveryMs);
  noteTimer.unref();

  function everyMs(): number {
    if (tenants.size > 0) return 1000 / samplesPerSecond;
    const { lookForStrangersEveryMs } = times;
    return strangers.isUnsure()
      ? Math.min(LOOK_AGAIN_AFTER_MS, lookForStrangersEveryMs)
      : lookForStrangersEveryMs;
  }

  function looked(readings: readonly DeviceReading[]): void {
    const atMs = bootTimeMs();
    const holders: Holders = { all: [...tenants.values()].map(holderOf), isRunning: parts.isRunning };
    const seen = readings.map((reading) => ({ reading, shared: shareOutReading(reading, holders, atMs) }));
    book.turnPage();
    lastLook = seen.map(({ reading, shared }) => nowOf(reading, shared, atMs));
    const foreign = seen.map(({ reading: { node, index, totalBytes }, shared }) => ({
      node,
      index,
      totalBytes,
      bytes: shared.foreignBytes,
    }));
    for (const observation of strangers.after(foreign)) report(observation);
    for (const tenant of tenants.values()) lookedAt(tenant, readings, atMs);
  }

  function shareOutReading(reading: DeviceReading, holders: Holders, atMs: number): SharedOut {
    const here = [...tenants.values()].flatMap((tenant) => {
      const holding = holdingOn(tenant, reading);
      return holding === undefined ? [] : [{ tenant, holding }];
    });
    const name = nameOf(reading);
    const isFree = here.length === 0 && !parts.isAwaited(reading);
    const shared = shareOut({
      reading,
      isFree,
      held: here.map(({ tenant }) => attemptIdOf(tenant)),
      baselineBytes: here[0]?.holding.baselineBytes ?? baselines.get(name) ?? 0,
      whoIs(pid) {
        const facts = book.factsOf(pid);
        return facts === null ? null : { facts, owner: ownerOf(facts, reading, holders) };
      },
    });
    if (isFree) baselines.set(name, reading.usedBytes);
    for (const { tenant, holding } of here)
      addSeen(tenant, holding, shared.tenants.get(attemptIdOf(tenant)) ?? null, reading.totalBytes, atMs);
    return shared;
  }

  function lookedAt(tenant: Tenant, readings: readonly DeviceReading[], atMs: number): void {
    const news = newsOf(tenant, ranMsOf(tenant.live), learnAfterMs);
    if (news !== null) report(news);
    const words = idleWords(tenant, times.sayIdleAfterMs, atMs);
    if (words !== null) log(words);
    gpuLogs.add(tenant, readings);
  }

  function nowOf(reading: DeviceReading, { foreign, tenants: seen }: SharedOut, atMs: number): DeviceNow {
    const at = Date.now();
    const onDevice = [...tenants.values()].flatMap((tenant): TenantNow[] => {
      const holding = holdingOn(tenant, reading);
      if (holding === undefined) return [];
      const { memoryBytes, loadMillis } = seen.get(attemptIdOf(tenant)) ?? NOTHING_TOLD;
      const since = idleSince(holding, times.idleAfterMs, atMs);
      const idle = since === null ? null : Math.round(at - (atMs - since));
      return [{ attempt: attemptIdOf(tenant), memoryBytes, loadMillis, idleSince: idle }];
    });
    return { reading, at, tenants: onDevice, foreign };
  }

  /** One that an earlier agent has watched goes on from what that has noted. */
  function tenantOf(live: LiveAttempt): Tenant | null {
    const known = tenants.get(live.attempt.id);
    if (known !== undefined) return known;
    const tenant = newTenant(live, parts.nodes, (device) => baselines.get(nameOf(device)) ?? 0);
    if (tenant.holdings.length === 0) return null;
    const note = notes.read(live.attempt.id);
    if (note === null) return tenant;
    goOnFrom(tenant, note);
    live.outputStarts = new Map(note.outputStarts);
    return tenant;
  }

  function noteAll(): void {
    for (const tenant of tenants.values()) if (tenant.isNews) write(tenant);
  }

  function write(tenant: Tenant): void {
    notes.write(attemptIdOf(tenant), noteOf(tenant));
    tenant.isNews = false;
  }

  return {
    add(live) {
      const tenant = tenantOf(live);
      if (tenant === null) return;
      tenants.set(live.attempt.id, tenant);
      if (live.outputStarts.size > 0) write(tenant);
      sampling.reconsider();
    },
    end(live) {
      const tenant = tenantOf(live);
      if (tenant === null) return null;
      tenants.delete(live.attempt.id);
      const ending = gpuLogs.end(tenant).finally(() => closing.delete(ending));
      closing.add(ending);
      // Until the end is on record it may have to be told again.
      if (tenant.isNews) write(tenant);
      sampling.reconsider();
      return usesOf(tenant);
    },
    usesOf(attempt) {
      const tenant = tenants.get(attempt);
      return tenant === undefined ? null : usesOf(tenant);
    },
    now() {
      sampling.refresh();
      return { source: source.name, devices: lastLook };
    },
    forget: notes.remove,
    sweep: notes.sweep,
    remarks: () => [
      `GPUs are looked at through ${sourceWords(source.name)}, up to ${samplesPerSecond} times a second while a job has one`,
    ],
    async close() {
      sampling.close();
      clearInterval(noteTimer);
      noteAll();
      // A disk that hangs must not keep a yard from stopping for the sake of a last line.
      await Promise.race([Promise.all(closing), setTimeout(LAST_LINES_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

const BLIND: DeviceWatch = {
  add: () => {},
  end: () => null,
  usesOf: () => null,
  now: () => NOBODY_LOOKS,
  forget: () => {},
  sweep: () => {},
  remarks: () => [],
  close: () => Promise.resolve(),
};

const NOTHING_TOLD = { memoryBytes: 0, loadMillis: null };

function holderOf({ live, holdings }: Tenant): Holder {
  return {
    attempt: live.attempt.id,
    caller: live.job.spec.program.caller,
    sessions: () => (isForCaller(live) ? [] : parentsOf(live)),
    sinceTicks: live.sinceTicks,
    cgroups: live.cgroups,
    holds: (device) => holdingOn({ holdings }, device) !== undefined,
  };
}

/** For how long a caller has had its place is known to the yard alone. */
function ranMsOf(live: LiveAttempt): number {
  const knownMs = performance.now() - live.runningSince;
  const { startedAt, suspendedMs } = live.attempt;
  if (startedAt === null || !isForCaller(live)) return knownMs;
  return Math.max(knownMs, Date.now() - startedAt - suspendedMs);
}

function nameOf({ node, index }: DeviceName): string {
  return `${node} ${index}`;
}

function sourceWords(name: string): string {
  return name === 'simulated' ? 'the directory in which they are simulated' : name;
}
