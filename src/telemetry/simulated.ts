/**
 * Devices for machines without a GPU, behind the same interface as real ones. They are a directory, so that a
 * program in any language can use them:
 *
 *     <directory>/<node>/devices         lines of `index bytes kind`, written here
 *     <directory>/<node>/<index>/        a device
 *     <directory>/<node>/<index>/<pid>   a process that uses it, or `<pid>.<anything>` if it uses it twice
 *
 * A process says what it uses in one line, `<bytes> <load 0-100> [<start ticks>]`. That counts for as long as
 * the process lives, and with start ticks for as long as it is that very process.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceProcess, DeviceReading } from '../model/device-use.ts';
import type { Device, Node } from '../model/node.ts';
import { ensureDirectory, readHead, removeIfThere, writeFileAtomic } from '../platform/files.ts';
import { processInfo } from '../platform/processes.ts';
import type { DeviceSource } from './device-source.ts';

/** How often what dead processes left behind is removed. */
const SWEEP_EVERY_MS = 10_000;
const DIRECTORY_MODE = 0o777;

export interface SimulatedDevices {
  readonly nodes: readonly Pick<Node, 'name' | 'devices'>[];
  readonly directory: string;
  readonly nowMs?: () => number;
}

export interface Claim {
  readonly memoryBytes: number;
  readonly loadMillis: number;
  /** Null: whoever has the number. */
  readonly startTicks: number | null;
}

interface Place {
  readonly node: string;
  readonly device: Device;
  readonly directory: string;
}

export function openSimulatedDevices({
  nodes,
  directory,
  nowMs = () => performance.now(),
}: SimulatedDevices): DeviceSource {
  const places = nodes.flatMap(({ name, devices }) => {
    const simulated = devices.filter((device) => device.simulated);
    if (simulated.length === 0) return [];
    return furnish(join(directory, name), simulated).map((place) => ({ node: name, ...place }));
  });
  let lastClaims = new Map<string, Claim>();
  let sweptAtMs = nowMs();

  const read = () => {
    const sweeps = nowMs() - sweptAtMs >= SWEEP_EVERY_MS;
    if (sweeps) sweptAtMs = nowMs();
    const look: Look = { starts: new Map(), before: lastClaims, claims: new Map(), sweeps };
    const readings = places.flatMap((place) => lookAt(place, look) ?? []);
    lastClaims = look.claims;
    return Promise.resolve(readings);
  };
  return { name: 'simulated', devices: places.map(({ device }) => device), read, close: () => {} };
}

function furnish(directory: string, devices: readonly Device[]): Omit<Place, 'node'>[] {
  const places = devices.map((device) => ({ device, directory: join(directory, String(device.index)) }));
  for (const place of places) ensureDirectory(place.directory, DIRECTORY_MODE);
  const lines = devices.map(({ index, memoryBytes, kind }) => `${index} ${memoryBytes} ${kind}\n`);
  writeFileAtomic(join(directory, 'devices'), lines.join(''), 0o666);
  return places;
}

/** What is known while all devices are looked at once. */
interface Look {
  /** By process number: its start ticks; null: there is none. */
  readonly starts: Map<number, number | null>;
  /** By path. */
  readonly before: ReadonlyMap<string, Claim>;
  readonly claims: Map<string, Claim>;
  readonly sweeps: boolean;
}

function lookAt({ node, device, directory }: Place, look: Look): DeviceReading | null {
  const names = namesIn(directory);
  if (names === null) return null;
  const processes = new Map<number, { memoryBytes: number; loadMillis: number }>();
  for (const name of names) {
    const pid = pidOf(name);
    if (pid === null) continue;
    const path = join(directory, name);
    const claim = claimAt(path, look);
    if (claim === null) continue;
    if (!isOf(claim, pid, look.starts)) {
      if (look.sweeps) sweep(path, pid);
      continue;
    }
    look.claims.set(path, claim);
    const sum = processes.get(pid) ?? { memoryBytes: 0, loadMillis: 0 };
    sum.memoryBytes += claim.memoryBytes;
    sum.loadMillis = Math.min(1000, sum.loadMillis + claim.loadMillis);
    processes.set(pid, sum);
  }
  return { node, index: device.index, ...sumOf([...processes], device.memoryBytes) };
}

function sumOf(
  found: readonly (readonly [number, { readonly memoryBytes: number; readonly loadMillis: number }])[],
  totalBytes: number,
): Omit<DeviceReading, 'node' | 'index'> {
  const processes = found.map(([pid, use]): DeviceProcess => ({ pid, ...use }));
  const claimedBytes = found.reduce((sum, [, use]) => sum + use.memoryBytes, 0);
  const claimedLoad = found.reduce((sum, [, use]) => sum + use.loadMillis, 0);
  const loadMillis = Math.min(1000, claimedLoad);
  return {
    usedBytes: Math.min(totalBytes, claimedBytes),
    totalBytes,
    loadMillis,
    temperatureC: Math.round(30 + loadMillis * 0.04),
    powerW: Math.round(40 + loadMillis * 0.2),
    processes,
  };
}

/** Null when it is not there and cannot be made. */
function namesIn(directory: string): readonly string[] | null {
  try {
    // A pipe with such a name would keep its reader waiting.
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch {
    try {
      ensureDirectory(directory, DIRECTORY_MODE);
      return [];
    } catch {
      return null;
    }
  }
}

function pidOf(name: string): number | null {
  const match = /^([1-9]\d{0,9})(?:\..*)?$/.exec(name);
  return match === null ? null : Number(match[1]);
}

function claimAt(path: string, look: Look): Claim | null {
  let text: string;
  try {
    text = readHead(path);
  } catch {
    return null;
  }
  // Most languages empty a file before they write it anew, and that instant is not worth a dip.
  if (text === '') return look.before.get(path) ?? null;
  return parseClaim(text);
}

/** Null when it makes no sense, or is not written to its end yet. */
export function parseClaim(text: string): Claim | null {
  const match = /^(\d{1,15})[ \t]+(\d{1,3}(?:\.\d{1,9})?)(?:[ \t]+(\d{1,15}))?[ \t]*\n$/.exec(text);
  if (match === null) return null;
  const load = Number(match[2]);
  if (load > 100) return null;
  return {
    memoryBytes: Number(match[1]),
    loadMillis: Math.round(load * 10),
    startTicks: match[3] === undefined ? null : Number(match[3]),
  };
}

function isOf(claim: Claim, pid: number, starts: Map<number, number | null>): boolean {
  let ticks = starts.get(pid);
  if (ticks === undefined) {
    ticks = ticksOfLiving(pid);
    starts.set(pid, ticks);
  }
  return ticks !== null && (claim.startTicks === null || claim.startTicks === ticks);
}

function ticksOfLiving(pid: number): number | null {
  const info = processInfo(pid);
  return info === null || info.state === 'Z' || info.state === 'X' ? null : info.startTicks;
}

/** Looks again first: another process may have been given the number, and have written a claim of its own. */
function sweep(path: string, pid: number): void {
  try {
    const claim = parseClaim(readHead(path));
    if (claim !== null && !isOf(claim, pid, new Map())) removeIfThere(path);
  } catch {
    // It is gone, or somebody else's: it is passed over at every look, and that is all that matters.
  }
}
