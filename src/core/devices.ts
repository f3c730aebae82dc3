/** Devices of nodes, found by the number that they have there. */

import type { GpuRequest } from '../model/job-spec.ts';
import { type Device, type Node, visibleName } from '../model/node.ts';

export function devicePosition(node: Node, index: number): number {
  // Devices are nearly always numbered by position.
  if (node.devices[index]?.index === index) return index;
  return node.devices.findIndex((device) => device.index === index);
}

export function deviceOf(node: Node | undefined, index: number): Device | null {
  if (node === undefined) return null;
  return node.devices[devicePosition(node, index)] ?? null;
}

/** Whether a device is one that a request could be met with at all. */
export function isWanted({ kind, onlyDevices }: GpuRequest, device: Device): boolean {
  if (kind !== null && kind !== device.kind) return false;
  return onlyDevices === undefined || onlyDevices.includes(visibleName(device));
}

/** What processes that the yard did not start use of its memory, in thousandths. */
export function foreignMillis({ foreignBytes, memoryBytes }: Device): number {
  if (foreignBytes === undefined || memoryBytes === 0) return 0;
  return Math.min(1000, Math.ceil((foreignBytes * 1000) / memoryBytes));
}
