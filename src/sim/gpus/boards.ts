/**
 * Devices as they are, whatever the yard thinks of them: who has how much of their memory, and how busy they keep them.
 * Memory that is not there cannot be had; load that is not there makes everybody slower.
 */

import type { AttemptId, NodeName } from '../../model/ids.ts';
import type { Placement } from '../../model/job.ts';
import type { Node } from '../../model/node.ts';
import { invariant } from '../../model/refusal.ts';

export interface Board {
  readonly node: NodeName;
  readonly index: number;
  readonly kind: string;
  readonly sizeBytes: number;
  readonly tenants: Map<AttemptId, { bytes: number; readonly loadMillis: number }>;
  foreignBytes: number;
  /** The most that strangers have ever had of it. */
  everForeignBytes: number;
}

/** What a device that does not say how much it has really has. */
const UNTOLD_BYTES = 24 * 1024 ** 3;

export type Boards = ReadonlyMap<string, Board>;

export function boardsOf(nodes: readonly Node[]): Boards {
  const boards = new Map<string, Board>();
  for (const { name: node, devices } of nodes) {
    for (const { index, kind, memoryBytes } of devices) {
      const sizeBytes = memoryBytes === 0 ? UNTOLD_BYTES : memoryBytes;
      boards.set(`${node}/${index}`, {
        node,
        index,
        kind,
        sizeBytes,
        tenants: new Map(),
        foreignBytes: 0,
        everForeignBytes: 0,
      });
    }
  }
  return boards;
}

export function boardsIn(boards: Boards, { nodes }: Placement): Board[] {
  return nodes.flatMap(({ node, devices }) =>
    devices.map(({ index }) => {
      const board = boards.get(`${node}/${index}`);
      invariant(board !== undefined, `there is no device ${index} on ${node}`);
      return board;
    }),
  );
}

export function usedBytes({ tenants, foreignBytes }: Board): number {
  let used = foreignBytes;
  for (const { bytes } of tenants.values()) used += bytes;
  return used;
}

/** How much of its full speed everybody on it has. */
export function speedOn({ tenants }: Board): number {
  let load = 0;
  for (const { loadMillis } of tenants.values()) load += loadMillis;
  return 1000 / Math.max(1000, load);
}

/** False, and nothing has changed, when there is not as much. */
export function allocate(board: Board, attempt: AttemptId, bytes: number): boolean {
  const tenant = board.tenants.get(attempt);
  invariant(tenant !== undefined, `attempt ${attempt} is not on device ${board.index} of ${board.node}`);
  if (usedBytes(board) - tenant.bytes + bytes > board.sizeBytes) return false;
  tenant.bytes = bytes;
  return true;
}
