/** Devices of nodes, found by the number that they have there. */

import type { Device, Node } from '../model/node.ts';

export function devicePosition(node: Node, index: number): number {
  // Devices are nearly always numbered by position.
  if (node.devices[index]?.index === index) return index;
  return node.devices.findIndex((device) => device.index === index);
}

export function deviceOf(node: Node | undefined, index: number): Device | null {
  if (node === undefined) return null;
  return node.devices[devicePosition(node, index)] ?? null;
}

/** What processes that the yard did not start use of its memory, in thousandths. */
export function foreignMillis({ foreignBytes = 0, memoryBytes }: Device): number {
  return memoryBytes === 0 ? 0 : Math.min(1000, Math.ceil((foreignBytes * 1000) / memoryBytes));
}
