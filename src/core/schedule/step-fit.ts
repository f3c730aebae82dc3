/**
 * Where the ranks of a step go among the nodes of its attempt, and which of the attempt's CPUs and devices it uses
 * there. Works on what the attempt holds and what other steps use; knows nothing of jobs, states or time.
 */

import type { NodeName } from '../../model/ids.ts';
import type { DeviceShare, NodeShare, Placement } from '../../model/job.ts';
import type { Step, StepRequest } from '../../model/step.ts';

/** The kind of a node's device; null where that is not known. */
export type KindOf = (node: NodeName, device: number) => string | null;

/** Null when there is no room beside those steps. Steps that overlap are in nobody's way. */
export function placeStep(
  request: StepRequest,
  held: readonly NodeShare[],
  others: Iterable<Step>,
  kindOf: KindOf,
): Placement | null {
  const used = request.overlap ? new Map<NodeName, Used>() : usedBy(others);
  const rooms = mayUse(request, held)
    .map((share) => roomOn(request, share, used.get(share.node) ?? NOTHING_USED, kindOf))
    .filter(({ ranks }) => ranks > 0);
  const most = Math.min(request.nodes?.max ?? Number.POSITIVE_INFINITY, rooms.length, request.ranks);
  for (let count = most; count >= Math.max(1, request.nodes?.min ?? 1); count--) {
    const placement =
      laidOver(request, rooms.slice(0, count)) ?? laidOver(request, theRoomiest(rooms, count));
    if (placement !== null) return placement;
  }
  return null;
}

/** The nodes of the attempt that the step may use, in their order. */
export function mayUse(
  { firstNode, onlyNodes, exceptNodes }: StepRequest,
  held: readonly NodeShare[],
): readonly NodeShare[] {
  return held
    .slice(firstNode)
    .filter(
      ({ node }) => !exceptNodes.includes(node) && (onlyNodes.length === 0 || onlyNodes.includes(node)),
    );
}

interface Used {
  cpus: number;
  readonly cpuIds: Set<number>;
  readonly devices: Set<number>;
}

const NOTHING_USED: Used = { cpus: 0, cpuIds: new Set(), devices: new Set() };

function usedBy(steps: Iterable<Step>): Map<NodeName, Used> {
  const used = new Map<NodeName, Used>();
  for (const { overlap, placement } of steps) {
    if (overlap) continue;
    for (const { node, cpus, cpuIds, devices } of placement.nodes) {
      const here = used.get(node) ?? { cpus: 0, cpuIds: new Set(), devices: new Set() };
      here.cpus += cpus;
      for (const id of cpuIds) here.cpuIds.add(id);
      for (const { index } of devices) here.devices.add(index);
      used.set(node, here);
    }
  }
  return used;
}

/** What a step could have on one node. */
interface Room {
  readonly share: NodeShare;
  readonly cpus: number;
  readonly cpuIds: readonly number[];
  readonly devices: readonly DeviceShare[];
  readonly ranks: number;
}

function roomOn(request: StepRequest, share: NodeShare, used: Used, kindOf: KindOf): Room {
  const cpus = request.wholeNodes && used.cpus > 0 ? 0 : share.cpus - used.cpus;
  const cpuIds = share.cpuIds.filter((id) => !used.cpuIds.has(id));
  const kind = request.gpus?.kind ?? null;
  const devices = share.devices.filter(
    ({ index }) => !used.devices.has(index) && (kind === null || kindOf(share.node, index) === kind),
  );
  const ranks = ranksThatFit(request, share, cpus, devices.length);
  return { share, cpus, cpuIds, devices, ranks };
}

function ranksThatFit(
  { gpus, cpusPerRank, ranksPerNode, overcommit }: StepRequest,
  share: NodeShare,
  cpus: number,
  devices: number,
): number {
  if (cpus <= 0) return 0;
  let ranks = overcommit === true ? Number.POSITIVE_INFINITY : Math.floor(cpus / cpusPerRank);
  // Who does not say otherwise gets all the devices of the attempt, and waits for them.
  if (gpus === null && devices < share.devices.length) ranks = 0;
  if (gpus?.per === 'node' && devices < gpus.count) ranks = 0;
  if (gpus?.per === 'rank' && gpus.count > 0) ranks = Math.min(ranks, Math.floor(devices / gpus.count));
  return Math.min(ranks, ranksPerNode ?? Number.POSITIVE_INFINITY);
}

function theRoomiest(rooms: readonly Room[], count: number): readonly Room[] {
  const chosen = new Set([...rooms].sort((a, b) => b.ranks - a.ranks).slice(0, count));
  return rooms.filter((room) => chosen.has(room));
}

function laidOver(request: StepRequest, rooms: readonly Room[]): Placement | null {
  const ranks = spread(
    request,
    rooms.map((room) => room.ranks),
  );
  if (ranks === null) return null;
  const devices = devicesOn(request, rooms, ranks);
  if (devices === null) return null;
  return {
    nodes: rooms.map((room, at) =>
      shareOf(request, room, ranks[at] as number, devices[at] as readonly DeviceShare[]),
    ),
  };
}

/** Every node gets one; the others go round the nodes, or fill one node after the other. */
function spread({ ranks, distribution }: StepRequest, rooms: readonly number[]): readonly number[] | null {
  const given = rooms.map(() => 1);
  let left = ranks - rooms.length;
  while (left > 0) {
    const before = left;
    for (let at = 0; at < rooms.length && left > 0; at++) {
      const space = (rooms[at] as number) - (given[at] as number);
      const more = Math.min(left, distribution === 'cyclic' ? Math.min(1, space) : space);
      given[at] = (given[at] as number) + more;
      left -= more;
    }
    if (left === before) return null;
  }
  return left === 0 ? given : null;
}

function devicesOn(
  { gpus }: StepRequest,
  rooms: readonly Room[],
  ranks: readonly number[],
): readonly (readonly DeviceShare[])[] | null {
  if (gpus === null) return rooms.map(({ devices }) => devices);
  if (gpus.per !== 'job')
    return rooms.map(({ devices }, at) =>
      devices.slice(0, gpus.per === 'rank' ? gpus.count * (ranks[at] as number) : gpus.count),
    );
  const counts = rooms.map(() => 0);
  let left = gpus.count;
  for (let size = 1; left > 0; size++) {
    if (rooms.every(({ devices }) => devices.length < size)) return null;
    for (let at = 0; at < rooms.length && left > 0; at++) {
      if ((rooms[at] as Room).devices.length < size) continue;
      counts[at] = size;
      left -= 1;
    }
  }
  return rooms.map(({ devices }, at) => devices.slice(0, counts[at]));
}

function shareOf(
  { wholeNodes, cpusPerRank }: StepRequest,
  { share, cpus: free, cpuIds }: Room,
  ranks: number,
  devices: readonly DeviceShare[],
): NodeShare {
  const cpus = wholeNodes ? share.cpus : Math.min(free, ranks * cpusPerRank);
  return {
    node: share.node,
    ranks,
    cpus,
    cpuIds: cpuIds.slice(0, cpus),
    memoryBytes: share.memoryBytes,
    devices,
  };
}
