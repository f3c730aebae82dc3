/**
 * Which devices of a node take a job, and which of them it gets. Parts of devices go by memory, which is never promised
 * twice, and by load, so that neighbours slow each other down as little as can be.
 */

import type { DeviceShare } from '../../model/job.ts';
import type { GpuRequest } from '../../model/job-spec.ts';
import type { Device, Node } from '../../model/node.ts';
import { foreignMillis, isWanted } from '../devices.ts';
import { type Free, WHOLE_DEVICE_MILLIS } from '../ledger.ts';
import type { DeviceWish, DeviceWishes, SizedRequest } from './device-wishes.ts';

interface Opening {
  readonly device: Device;
  readonly wish: DeviceWish;
  readonly freeMillis: number;
  readonly loadMillis: number;
}

/** How many devices of the node it could have. */
export function devicesFree(request: SizedRequest, node: Node, free: Free): number {
  const { gpus, wishes } = request;
  if (gpus !== null && wishes?.areWhole === true) return wholeOnesFree(gpus, wishes, node, free);
  let count = 0;
  for (let at = 0; at < node.devices.length; at++) if (wishFor(request, node, free, at) !== null) count++;
  return count;
}

/** The same for whole devices, which most jobs want: it is asked of every node for every job that is looked at. */
function wholeOnesFree(gpus: GpuRequest, wishes: DeviceWishes, { devices }: Node, free: Free): number {
  const anyWillDo = gpus.kind === null && gpus.onlyDevices === undefined;
  const millis = free.devices;
  let count = 0;
  for (let at = 0; at < millis.length; at++) {
    if ((millis[at] as number) < WHOLE_DEVICE_MILLIS) continue;
    const device = devices[at] as Device;
    if ((anyWillDo || isWanted(gpus, device)) && isBorne(device, wishes)) count++;
  }
  return count;
}

/** Strangers use so little of it that it counts as whole. */
function isBorne(device: Device, { foreignToleranceMillis }: DeviceWishes): boolean {
  return device.foreignBytes === undefined || foreignMillis(device) <= foreignToleranceMillis;
}

/** What it would take of the device at this position; null: it cannot have it. */
export function wishFor(request: SizedRequest, node: Node, free: Free, at: number): DeviceWish | null {
  const { gpus, wishes } = request;
  const freeMillis = free.devices[at] as number;
  // In a yard that is filling up this is so of most of them.
  if (gpus === null || freeMillis <= 0) return null;
  const device = node.devices[at] as Device;
  if (!isWanted(gpus, device)) return null;
  if (wishes === undefined) {
    const { shareMillis: millis } = gpus;
    return freeMillis >= millis ? { millis, loadMillis: null, isLearning: false } : null;
  }
  const wish = wishes.of(device);
  if (wish === null) return null;
  if (wish.millis >= WHOLE_DEVICE_MILLIS)
    return freeMillis >= WHOLE_DEVICE_MILLIS && isBorne(device, wishes) ? wish : null;
  if (freeMillis - foreignMillis(device) < wish.millis) return null;
  return isTooBusy(wish, free.loads[at] as number, wishes.maxLoadMillis) ? null : wish;
}

/**
 * Somebody who keeps a device busy alone may have it, but nobody beside them. Whoever asked for a part of a device and not
 * for load has it for the asking.
 */
function isTooBusy({ loadMillis }: DeviceWish, othersMillis: number, maxLoadMillis: number): boolean {
  return othersMillis > 0 && othersMillis + (loadMillis ?? 0) > maxLoadMillis;
}

export function chooseDevices(
  request: SizedRequest,
  node: Node,
  free: Free,
  count: number,
): DeviceShare[] | null {
  if (request.gpus === null || count === 0) return [];
  const openings: Opening[] = [];
  for (const [at, device] of node.devices.entries()) {
    const wish = wishFor(request, node, free, at);
    if (wish === null) continue;
    openings.push({
      device,
      wish,
      freeMillis: free.devices[at] as number,
      loadMillis: free.loads[at] as number,
    });
  }
  if (openings.length < count) return null;
  return openings
    .sort(ORDERS[request.wishes?.arrange ?? 'declared'])
    .slice(0, count)
    .map(({ device, wish }) => shareOf(device, wish))
    .sort((a, b) => a.index - b.index);
}

function shareOf({ index, kind }: Device, { millis, loadMillis, isLearning }: DeviceWish): DeviceShare {
  return {
    index,
    millis,
    ...(loadMillis === null ? {} : { loadMillis }),
    ...(isLearning ? { learningOn: kind } : {}),
  };
}

type Order = (a: Opening, b: Opening) => number;

const byIndex: Order = (a, b) => a.device.index - b.device.index;
/** What is known already goes before what has yet to be shown on a device of its own. */
const knownFirst: Order = (a, b) => Number(a.wish.isLearning) - Number(b.wish.isLearning);
const isEmpty = ({ freeMillis }: Opening) => freeMillis >= WHOLE_DEVICE_MILLIS;

const ORDERS: Readonly<Record<NonNullable<SizedRequest['wishes']>['arrange'], Order>> = {
  /** The fullest that takes it: parts that were asked for say nothing about load. */
  declared: (a, b) => a.freeMillis - b.freeMillis || byIndex(a, b),
  /** Where others are already, the least busy of those first, and of equally busy ones the fullest. */
  pack: (a, b) =>
    knownFirst(a, b) ||
    Number(isEmpty(a)) - Number(isEmpty(b)) ||
    a.loadMillis - b.loadMillis ||
    a.freeMillis - b.freeMillis ||
    byIndex(a, b),
  /** Where it is quietest. */
  spread: (a, b) =>
    knownFirst(a, b) || a.loadMillis - b.loadMillis || b.freeMillis - a.freeMillis || byIndex(a, b),
};
