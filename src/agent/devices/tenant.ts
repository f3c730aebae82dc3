/**
 * An attempt that holds devices: what it has used of each so far, since when it has done nothing there, and what of
 * that was reported. Times are those of the boot clock, so that another daemon can go on from them.
 */

import type { DeviceUse } from '../../model/device-use.ts';
import type { AttemptId } from '../../model/ids.ts';
import type { DeviceShare } from '../../model/job.ts';
import type { Device, Node } from '../../model/node.ts';
import { addSample, startRollup, type UseRollup, useOf } from '../../telemetry/rollup.ts';
import type { LiveAttempt } from '../live.ts';
import type { DeviceName } from './attribution.ts';
import type { DeviceNote } from './notes.ts';
import type { Seen } from './share-out.ts';

export interface Tenant {
  readonly live: LiveAttempt;
  readonly holdings: readonly Holding[];
  /** What it has shown in its first minutes is reported. */
  hasShown: boolean;
  /** That it does nothing on a device is said. */
  isIdleSaid: boolean;
  /** There is something that its note does not say yet. */
  isNews: boolean;
}

export interface Holding extends DeviceName {
  readonly share: DeviceShare;
  readonly device: Device;
  rollup: UseRollup | null;
  /** Null: nothing can be said at this moment. */
  now: Seen | null;
  idleFrom: number | null;
  /** The most of its memory that was reported; null: nothing was. */
  reportedBytes: number | null;
  /** What was used of the device when nobody held it. */
  baselineBytes: number;
}

export function newTenant(
  live: LiveAttempt,
  nodes: ReadonlyMap<string, Node>,
  baselineOf: (device: DeviceName) => number,
): Tenant {
  const holdings = live.attempt.placement.nodes.flatMap(({ node, devices }) =>
    devices.flatMap((share): Holding[] => {
      const device = nodes.get(node)?.devices.find(({ index }) => index === share.index);
      if (device === undefined) return [];
      const name = { node, index: share.index };
      const baselineBytes = baselineOf(name);
      const nothing = { rollup: null, now: null, idleFrom: null, reportedBytes: null };
      return [{ ...name, share, device, ...nothing, baselineBytes }];
    }),
  );
  return { live, holdings, hasShown: false, isIdleSaid: false, isNews: false };
}

/** Goes on from what an earlier agent has noted. */
export function goOnFrom(tenant: Tenant, note: DeviceNote): void {
  tenant.isIdleSaid = note.isIdleSaid;
  for (const holding of tenant.holdings) {
    const noted = note.devices.find((each) => isSameDevice(each, holding));
    if (noted === undefined) continue;
    holding.rollup = noted.rollup;
    holding.idleFrom = noted.idleFrom;
    holding.baselineBytes = noted.baselineBytes;
  }
}

export function noteOf({ live, holdings, isIdleSaid }: Tenant): DeviceNote {
  return {
    isIdleSaid,
    outputStarts: [...live.outputStarts],
    devices: holdings.map(({ node, index, rollup, idleFrom, baselineBytes }) => ({
      node,
      index,
      rollup,
      idleFrom,
      baselineBytes,
    })),
  };
}

/** Null: nothing can be said this time. */
export function addSeen(
  tenant: Tenant,
  holding: Holding,
  seen: Seen | null,
  totalBytes: number,
  atMs: number,
): void {
  holding.now = seen;
  if (seen === null) {
    holding.idleFrom = null;
    return;
  }
  const { node, index, device } = holding;
  const { isSuspended } = tenant.live;
  holding.rollup ??= startRollup({ node, index, kind: device.kind, totalBytes });
  // What it does while it may do nothing says nothing about its kind.
  addSample(holding.rollup, { atMs, ...seen, ...(isSuspended ? { loadMillis: null } : {}) });
  holding.idleFrom = isIdle(seen) && !isSuspended ? (holding.idleFrom ?? atMs) : null;
  tenant.isNews = true;
}

/** It has the device and nothing on it, or nothing to do there. */
function isIdle({ memoryBytes, loadMillis }: Seen): boolean {
  return memoryBytes === 0 || loadMillis === 0;
}

/** Since when it has done nothing, if that is longer than this. */
export function idleSince({ idleFrom }: Holding, longerThanMs: number, nowMs: number): number | null {
  return idleFrom !== null && nowMs - idleFrom > longerThanMs ? idleFrom : null;
}

/** What it has used so far, of those of its devices that anybody has looked at. */
export function usesOf({ holdings }: Tenant): readonly DeviceUse[] {
  return holdings.flatMap(({ rollup }) => (rollup === null ? [] : (useOf(rollup) ?? [])));
}

export function holdingOn({ holdings }: Pick<Tenant, 'holdings'>, name: DeviceName): Holding | undefined {
  return holdings.find((holding) => isSameDevice(holding, name));
}

export function isSameDevice(one: DeviceName, other: DeviceName): boolean {
  return one.index === other.index && one.node === other.node;
}

export function attemptIdOf({ live }: Tenant): AttemptId {
  return live.attempt.id;
}
