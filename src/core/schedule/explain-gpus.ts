/** How a job is given GPUs, and what it lacks of them: what `why` says of packing. */

import type { Estimate } from '../../model/footprint.ts';
import { holdsResources, type Job } from '../../model/job.ts';
import type { GpuRequest, JobSpec } from '../../model/job-spec.ts';
import type { Device, Node } from '../../model/node.ts';
import type { DeviceHold, ForeignHold, GpuExplanation, Reason, Shortage } from '../../model/reason.ts';
import { deviceOf, foreignMillis, isWanted } from '../devices.ts';
import { footprintOf, learnerOf } from '../footprints/book.ts';
import { estimateOf } from '../footprints/estimate.ts';
import { WHOLE_DEVICE_MILLIS } from '../ledger.ts';
import { jobsAndShares, type Tenant } from '../occupancy.ts';
import type { YardState } from '../state.ts';
import { wishFor } from './choose-devices.ts';
import { isShared, type Knowledge, type SizedRequest } from './device-wishes.ts';
import type { Candidate } from './fit.ts';

/** Null when it wants no GPUs. */
export function explainGpus({ state, now }: KnowledgeOfYard, job: Job): GpuExplanation | null {
  const { gpus } = job.spec.resources;
  if (gpus === null) return null;
  const manner = mannerOf(gpus);
  return {
    manner,
    estimates: manner === 'auto' ? estimatesFor(state, job.spec, now) : [],
    holds: holdsOf(state, job),
  };
}

type KnowledgeOfYard = Omit<Knowledge, 'state'> & { readonly state: YardState };

export function mannerOf(gpus: GpuRequest): GpuExplanation['manner'] {
  if (isShared(gpus)) return 'auto';
  return gpus.shareMillis < WHOLE_DEVICE_MILLIS ? 'declared' : 'whole';
}

function estimatesFor(state: YardState, spec: JobSpec, now: number): readonly Estimate[] {
  const models = new Set([...state.nodes.values()].flatMap(({ devices }) => devices.map(({ kind }) => kind)));
  return [...models].flatMap((model) => {
    const footprint = footprintOf(state, spec, model);
    return footprint === null ? [] : [estimateOf(footprint, now)];
  });
}

function holdsOf(state: YardState, { id, attempt }: Job): readonly DeviceHold[] {
  if (!holdsResources(attempt)) return [];
  const tenants = jobsAndShares(state);
  return attempt.placement.nodes.flatMap(({ node, devices }) =>
    devices.flatMap(({ index, millis, loadMillis = null, learningOn }): DeviceHold[] => {
      const device = deviceOf(state.nodes.get(node), index);
      if (device === null) return [];
      const neighbours = othersOn(tenants.get(node) ?? [], index).filter((other) => other !== id);
      const { kind, memoryBytes: totalBytes } = device;
      const isLearning = learningOn !== undefined;
      return [{ node, index, device: kind, totalBytes, millis, loadMillis, isLearning, neighbours }];
    }),
  );
}

function othersOn(tenants: readonly Tenant[], index: number): readonly number[] {
  return tenants
    .filter(({ share }) => share.devices.some((device) => device.index === index))
    .map(({ job }) => job);
}

/** On every device that it could use, another of its kind must show first what such jobs use; null: that is not why. */
export function learningReason(
  { state }: Pick<Knowledge, 'state'>,
  spec: JobSpec,
  request: SizedRequest,
  nodes: readonly Node[],
): Reason | null {
  const { gpus, wishes } = request;
  if (gpus === null || !isShared(gpus) || wishes === undefined) return null;
  const devices = nodes.flatMap((node) => node.devices.filter((device) => isWanted(gpus, device)));
  if (devices.some((device) => wishes.of(device) !== null)) return null;
  for (const { kind } of devices) {
    const learner = learnerOf(state, spec, kind);
    if (learner !== null)
      return { kind: 'learning', job: learner.job, label: learner.key.label, device: kind };
  }
  return null;
}

/** What is missing on a node that has too few devices ready for so many: memory of one, room for its load, or devices. */
export function gpuShortage(
  request: SizedRequest,
  { node, free }: Candidate,
  wanted: number,
): Shortage | null {
  const { gpus } = request;
  if (gpus === null) return null;
  const positions = [...node.devices.keys()].filter((at) => isWanted(gpus, node.devices[at] as Device));
  const ready = positions.filter((at) => wishFor(request, node, free, at) !== null).length;
  if (ready >= wanted) return null;
  const part = wanted === 1 ? partShortage(request, { node, free }, positions) : null;
  return part ?? { resource: 'gpus', wanted, free: ready, total: positions.length };
}

/** Of a job that would share: what it lacks on the device with the most room. */
function partShortage(
  { gpus, wishes }: SizedRequest,
  { node, free }: Candidate,
  positions: readonly number[],
): Shortage | null {
  if (gpus === null || wishes === undefined || !isShared(gpus)) return null;
  const roomAt = (at: number) => (free.devices[at] as number) - foreignMillis(node.devices[at] as Device);
  const [best] = [...positions].sort((a, b) => roomAt(b) - roomAt(a));
  const device = best === undefined ? undefined : node.devices[best];
  const wish = device === undefined ? null : wishes.of(device);
  if (best === undefined || device === undefined || wish === null) return null;
  if (wish.millis >= WHOLE_DEVICE_MILLIS) return null;
  const bytes = (millis: number) => Math.round((Math.max(0, millis) * device.memoryBytes) / 1000);
  if (roomAt(best) < wish.millis)
    return {
      resource: 'gpuMemory',
      wanted: bytes(wish.millis),
      free: bytes(roomAt(best)),
      total: device.memoryBytes,
    };
  const { maxLoadMillis } = wishes;
  const roomy = positions.filter((at) => roomAt(at) >= wish.millis);
  const busy = Math.min(...roomy.map((at) => free.loads[at] as number));
  return {
    resource: 'gpuLoad',
    wanted: wish.loadMillis ?? 0,
    free: Math.max(0, maxLoadMillis - busy),
    total: maxLoadMillis,
  };
}

/** Devices that it would want, of which strangers use so much that they are in its way. */
export function foreignHolds(request: SizedRequest, nodes: readonly Node[]): readonly ForeignHold[] {
  const { gpus, wishes } = request;
  if (gpus === null || wishes === undefined) return [];
  const tolerated = isShared(gpus) ? 0 : wishes.foreignToleranceMillis;
  return nodes.flatMap(({ name: node, devices }) =>
    devices
      .filter((device) => isWanted(gpus, device) && foreignMillis(device) > tolerated)
      .map(({ index, foreignBytes = 0 }) => ({ node, index, bytes: foreignBytes })),
  );
}
