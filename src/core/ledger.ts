/**
 * What is free on each node, counted exactly: CPUs, memory, and thousandths of each device. Knows nothing of
 * jobs beyond the shares they hold.
 */

import type { NodeShare } from '../model/job.ts';
import type { Node } from '../model/node.ts';
import { invariant } from '../model/refusal.ts';
import { devicePosition } from './devices.ts';

export const WHOLE_DEVICE_MILLIS = 1000;

/** The free part of one node, in the form that fitting works on. */
export interface Free {
  cpus: number;
  memoryBytes: number;
  /** By position in node.devices: free thousandths. */
  devices: number[];
  /** By position as well: how busy those on it are expected to keep it, in thousandths. */
  loads: number[];
  /** How many attempts are on it. */
  attempts: number;
}

export interface Ledger {
  readonly free: Free;
  readonly takenCpuIds: Set<number>;
}

export function allFree(node: Node): Free {
  return {
    cpus: node.cpus,
    memoryBytes: node.memoryBytes,
    devices: node.devices.map(() => WHOLE_DEVICE_MILLIS),
    loads: node.devices.map(() => 0),
    attempts: 0,
  };
}

export function newLedger(node: Node): Ledger {
  return { free: allFree(node), takenCpuIds: new Set() };
}

export function copyFree(free: Free): Free {
  return {
    cpus: free.cpus,
    memoryBytes: free.memoryBytes,
    devices: free.devices.slice(),
    loads: free.loads.slice(),
    attempts: free.attempts,
  };
}

/** Less is free. May go below zero when a node came back smaller than it was. */
export function subtract(free: Free, node: Node, share: NodeShare): void {
  move(free, node, share, -1);
}

export function add(free: Free, node: Node, share: NodeShare): void {
  move(free, node, share, 1);
}

/** Its CPUs alone are free: whoever had them is stopped and stays where it is. */
export function addCpus(free: Free, share: NodeShare): void {
  free.cpus += share.cpus;
}

function move(free: Free, node: Node, share: NodeShare, sign: 1 | -1): void {
  free.cpus += sign * share.cpus;
  free.memoryBytes += sign * share.memoryBytes;
  free.attempts -= sign;
  for (const { index, millis, loadMillis = millis } of share.devices) {
    const at = devicePosition(node, index);
    if (at < 0) continue;
    free.devices[at] = (free.devices[at] as number) + sign * millis;
    free.loads[at] = (free.loads[at] as number) - sign * loadMillis;
  }
}

export function take(ledger: Ledger, node: Node, share: NodeShare): void {
  subtract(ledger.free, node, share);
  for (const id of share.cpuIds) {
    invariant(!ledger.takenCpuIds.has(id), `CPU ${id} of ${node.name} is taken twice`);
    ledger.takenCpuIds.add(id);
  }
}

export function giveBack(ledger: Ledger, node: Node, share: NodeShare): void {
  add(ledger.free, node, share);
  for (const id of share.cpuIds) ledger.takenCpuIds.delete(id);
}

/**
 * The lowest CPU ids that are free; none where the node does not know its CPUs or has too few of them. Those that
 * somebody waits to have back are taken only where no others are left.
 */
export function chooseCpuIds(
  node: Node,
  taken: ReadonlySet<number>,
  count: number,
  wantedBack: ReadonlySet<number> = NOBODY_WAITS,
): readonly number[] {
  const ids: number[] = [];
  const last: number[] = [];
  for (const id of node.cpuIds) {
    if (ids.length === count) break;
    if (taken.has(id)) continue;
    (wantedBack.has(id) ? last : ids).push(id);
  }
  if (ids.length === count) return ids;
  const chosen = [...ids, ...last.slice(0, count - ids.length)].sort((a, b) => a - b);
  return chosen.length === count ? chosen : [];
}

const NOBODY_WAITS: ReadonlySet<number> = new Set();
