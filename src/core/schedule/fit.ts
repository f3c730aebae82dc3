/**
 * Whether and where a request fits. Works on any view of what is free (now, at a later time, with a
 * reservation taken off), and knows nothing of queues, limits or priorities.
 */

import type { NodeShare, Placement } from '../../model/job.ts';
import type { ResourceRequest } from '../../model/job-spec.ts';
import type { Node } from '../../model/node.ts';
import { type Free, WHOLE_DEVICE_MILLIS } from '../ledger.ts';
import { chooseDevices, devicesFree } from './choose-devices.ts';
import type { SizedRequest } from './device-wishes.ts';
import { largest } from './largest.ts';

/** A node with what is free on it in the view at hand. */
export interface Candidate {
  readonly node: Node;
  readonly free: Free;
}

/** Where it would go; null when it does not fit. CPU ids are left open: they are chosen when it starts. */
export function findPlace(request: SizedRequest, candidates: readonly Candidate[]): Placement | null {
  const { nodes, ranks, ranksMax } = request;
  const fits = nodes.max === 1 ? fitOneNode : fitNodes;
  if (ranksMax === undefined || ranksMax <= ranks) return fits(request, candidates);
  return fits({ ...request, ranks: mostRanks(request, ranksMax, candidates, fits) }, candidates);
}

type Fits = (request: SizedRequest, candidates: readonly Candidate[]) => Placement | null;

/** What it must have at least. */
export function fewestRanks(request: SizedRequest): SizedRequest {
  const { ranksMax, ...least } = request;
  return ranksMax === undefined ? request : least;
}

/** As many as find a place, and the least where not even those do. A node that takes just so many takes all or none. */
function mostRanks(
  request: SizedRequest,
  ranksMax: number,
  candidates: readonly Candidate[],
  fits: Fits,
): number {
  const { ranks: least, ranksPerNode, nodes } = request;
  const step = ranksPerNode !== null && least % ranksPerNode === 0 ? ranksPerNode : 1;
  const rooms = candidates.map((candidate) => ranksThatFit(request, candidate)).sort((a, b) => b - a);
  const room = rooms.slice(0, nodes.max).reduce((sum, more) => sum + more, 0);
  const steps = Math.max(0, Math.floor((Math.min(ranksMax, room) - least) / step));
  const holds = (more: number) => fits({ ...request, ranks: least + more * step }, candidates) !== null;
  return least + step * largest(0, steps, holds);
}

/** The tightest node, so that large gaps stay whole; nodes with devices are kept for those who want them. */
function fitOneNode(request: SizedRequest, candidates: readonly Candidate[]): Placement | null {
  let best: Candidate | null = null;
  let bestLeft = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (ranksThatFit(request, candidate) < request.ranks) continue;
    const left = candidate.free.cpus + (request.gpus === null ? 1e6 * candidate.node.devices.length : 0);
    if (left < bestLeft) {
      best = candidate;
      bestLeft = left;
    }
  }
  if (best === null) return null;
  const share = shareOn(request, best, request.ranks, gpusOnNode(request, request.ranks, 0, 1));
  return share && { nodes: [share] };
}

/** As few nodes as allowed, or as many where it wants to be spread wide; the roomiest first. */
function fitNodes(request: SizedRequest, candidates: readonly Candidate[]): Placement | null {
  const { ranks } = request;
  const rooms: Room[] = candidates
    .map((candidate) => ({ candidate, room: ranksThatFit(request, candidate) }))
    .filter(({ room }) => room > 0)
    .sort((a, b) => b.room - a.room);
  for (const count of nodeCounts(request, rooms.length)) {
    const chosen = chooseNodes(request, rooms, count);
    if (chosen === null) continue;
    const spread = spreadRanks(
      ranks,
      chosen.map(({ room }) => room),
      request.spread === 'fill' ? Number.POSITIVE_INFINITY : request.ranksPerNode,
    );
    if (spread === null) continue;
    const shares = chosen.map(({ candidate }, at) =>
      shareOn(request, candidate, spread[at] as number, gpusOnNode(request, spread[at] as number, at, count)),
    );
    if (shares.every((share) => share !== null)) return { nodes: inOrder(shares, candidates) };
  }
  return null;
}

function nodeCounts({ nodes, ranks, spread }: ResourceRequest, there: number): number[] {
  const most = Math.min(nodes.max, there, ranks);
  const counts = Array.from({ length: Math.max(0, most - nodes.min + 1) }, (_, more) => nodes.min + more);
  return spread === 'wide' ? counts.reverse() : counts;
}

/** Ranks are numbered along the nodes as the yard lists them, whichever was chosen first. */
function inOrder(shares: readonly NodeShare[], candidates: readonly Candidate[]): NodeShare[] {
  const places = new Map(candidates.map(({ node }, at) => [node.name, at]));
  return shares.toSorted((a, b) => (places.get(a.node) ?? 0) - (places.get(b.node) ?? 0));
}

interface Room {
  readonly candidate: Candidate;
  readonly room: number;
}

/** The roomiest so many; where devices are divided among them, first those that get the odd ones. */
function chooseNodes(request: SizedRequest, rooms: readonly Room[], count: number): Room[] | null {
  const { gpus } = request;
  if (gpus === null || gpus.per !== 'job') return rooms.slice(0, count);
  const each = Math.floor(gpus.count / count);
  const odd = gpus.count % count;
  const devices = ({ candidate: { node, free } }: Room) => devicesFree(request, node, free);
  const able = rooms.filter((room) => devices(room) >= each);
  const first = able.filter((room) => devices(room) > each).slice(0, odd);
  const others = able.filter((room) => !first.includes(room)).slice(0, count - odd);
  return first.length + others.length === count ? [...first, ...others] : null;
}

/** Ranks by node, as even as the rooms allow, at least one each. Null when they do not all find a place. */
function spreadRanks(ranks: number, rooms: readonly number[], perNode: number | null): number[] | null {
  const spread = rooms.map(() => 0);
  let left = ranks;
  for (let at = 0; at < rooms.length; at++) {
    const fair = perNode ?? Math.ceil(left / (rooms.length - at));
    const given = Math.min(fair, rooms[at] as number, left - (rooms.length - at - 1));
    spread[at] = given;
    left -= given;
  }
  for (let at = 0; left > 0 && at < rooms.length; at++) {
    const cap = Math.min(rooms[at] as number, perNode ?? Number.POSITIVE_INFINITY);
    const more = Math.min(left, cap - (spread[at] as number));
    spread[at] = (spread[at] as number) + more;
    left -= more;
  }
  return left === 0 && spread.every((given) => given > 0) ? spread : null;
}

/** How many ranks of this request the node could take. */
function ranksThatFit(request: SizedRequest, { node, free }: Candidate): number {
  if (request.exclusive && free.attempts > 0) return 0;
  const { cpusPerRank, memory, gpus } = request;
  // Whoever runs elsewhere and only holds a device here wants none.
  let room = cpusPerRank === 0 ? request.ranks : Math.floor(free.cpus / cpusPerRank);
  if (memory !== null) {
    if (memory.bytes === 0) room = free.memoryBytes >= node.memoryBytes ? room : 0;
    else if (memory.per === 'node') room = free.memoryBytes >= memory.bytes ? room : 0;
    else
      room = Math.min(
        room,
        Math.floor(free.memoryBytes / (memory.per === 'rank' ? memory.bytes : memory.bytes * cpusPerRank)),
      );
  }
  if (room > 0 && gpus !== null) {
    const devices = devicesFree(request, node, free);
    if (gpus.per === 'rank') room = Math.min(room, Math.floor(devices / gpus.count));
    else if (gpus.per === 'node') room = devices >= gpus.count ? room : 0;
    else room = devices >= Math.floor(gpus.count / request.nodes.max) ? room : 0;
  }
  return request.ranksPerNode === null ? room : Math.min(room, request.ranksPerNode);
}

/** How many devices fall to the node at this place among so many. */
function gpusOnNode(request: ResourceRequest, ranks: number, at: number, nodeCount: number): number {
  const { gpus } = request;
  if (gpus === null) return 0;
  if (gpus.per === 'node') return gpus.count;
  if (gpus.per === 'rank') return gpus.count * ranks;
  return Math.floor(gpus.count / nodeCount) + (at < gpus.count % nodeCount ? 1 : 0);
}

function shareOn(
  request: SizedRequest,
  { node, free }: Candidate,
  ranks: number,
  gpuCount: number,
): NodeShare | null {
  const devices = chooseDevices(request, node, free, gpuCount);
  if (devices === null) return null;
  if (request.exclusive) {
    return {
      node: node.name,
      ranks,
      cpus: free.cpus,
      cpuIds: [],
      memoryBytes: free.memoryBytes,
      devices: node.devices.map(({ index }) => ({ index, millis: WHOLE_DEVICE_MILLIS })),
    };
  }
  const cpus = ranks * request.cpusPerRank;
  const memoryBytes = memoryOn(request, node, ranks, cpus);
  return { node: node.name, ranks, cpus, cpuIds: [], memoryBytes, devices };
}

/** What it wants of the memory of a node. */
export function memoryOn({ memory }: ResourceRequest, node: Node, ranks: number, cpus: number): number {
  if (memory === null) return 0;
  if (memory.bytes === 0) return node.memoryBytes;
  if (memory.per === 'node') return memory.bytes;
  return memory.bytes * (memory.per === 'rank' ? ranks : cpus);
}
