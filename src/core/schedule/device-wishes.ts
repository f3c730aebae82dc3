/**
 * What a job wants of a device, model by model: the whole of it, the part that was asked for, or as much as its kind was
 * seen to use. A kind that nobody has seen on a model gets a device alone, once: its equals wait for what that shows.
 */

import type { Footprint } from '../../model/footprint.ts';
import type { JobId } from '../../model/ids.ts';
import type { GpuRequest, JobSpec, ResourceRequest } from '../../model/job-spec.ts';
import type { Device } from '../../model/node.ts';
import type { GpuPolicy, Policy } from '../../model/policy.ts';
import { groupKey } from '../backlog.ts';
import { footprintOf, isElusive, learnerOf } from '../footprints/book.ts';
import { estimateOf } from '../footprints/estimate.ts';
import { WHOLE_DEVICE_MILLIS } from '../ledger.ts';
import type { YardState } from '../state.ts';

/** Of one device. */
export interface DeviceWish {
  readonly millis: number;
  /** Null: nobody knows. */
  readonly loadMillis: number | null;
  readonly isLearning: boolean;
}

export interface DeviceWishes {
  /** Null: it may not have a device of this model now. */
  of(device: Device): DeviceWish | null;
  /** It wants the whole of each, whatever model it is. */
  readonly areWhole: boolean;
  readonly arrange: GpuPolicy['arrange'] | 'declared';
  readonly maxLoadMillis: number;
  readonly foreignToleranceMillis: number;
}

/** A request with what it wants of devices worked out; without that, as if nobody else were there. */
export type SizedRequest = ResourceRequest & { readonly wishes?: DeviceWishes };

/** What is known at the moment; learners are those of the pass at hand, on top of those of the state. */
export interface Knowledge {
  readonly state: Pick<YardState, 'footprints' | 'learners' | 'nodes' | 'jobs'>;
  readonly policy: Pick<Policy, 'gpu' | 'perUser' | 'queues' | 'qos'>;
  readonly now: number;
  readonly learners?: ReadonlyMap<string, ReadonlySet<JobId>>;
  /** What was worked out in that pass, by groups of jobs that are alike. */
  readonly wishes?: Map<string, DeviceWishes>;
}

export function isShared({ sharing }: GpuRequest): boolean {
  return sharing === 'auto';
}

export function sized(knowledge: Knowledge, spec: JobSpec, request: ResourceRequest): SizedRequest {
  const { gpus } = request;
  return gpus === null ? request : { ...request, wishes: knownWishes(knowledge, spec, gpus) };
}

/** All that are alike wish the same, until somebody else is to show what its kind uses. */
function knownWishes(knowledge: Knowledge, spec: JobSpec, gpus: GpuRequest): DeviceWishes {
  const { wishes } = knowledge;
  if (wishes === undefined || gpus !== spec.resources.gpus) return wishesFor(knowledge, spec, gpus);
  const key = groupKey(spec);
  let known = wishes.get(key);
  if (known === undefined) {
    known = wishesFor(knowledge, spec, gpus);
    wishes.set(key, known);
  }
  return known;
}

function wishesFor(knowledge: Knowledge, spec: JobSpec, gpus: GpuRequest): DeviceWishes {
  const { arrange, maxLoadMillis, foreignToleranceMillis } = knowledge.policy.gpu;
  const limits = { maxLoadMillis, foreignToleranceMillis };
  if (!isShared(gpus)) {
    const { shareMillis: millis } = gpus;
    const wish: DeviceWish = { millis, loadMillis: null, isLearning: false };
    const areWhole = millis >= WHOLE_DEVICE_MILLIS;
    return { of: () => wish, areWhole, arrange: arrange === 'pack' ? 'declared' : arrange, ...limits };
  }
  const byModel = new Map<string, { readonly memoryBytes: number; readonly wish: DeviceWish | null }>();
  const of = (device: Device) => {
    const { kind, memoryBytes } = device;
    let known = byModel.get(kind);
    // One model may come in several sizes.
    if (known?.memoryBytes !== memoryBytes) {
      known = { memoryBytes, wish: wishOn(knowledge, spec, device) };
      byModel.set(kind, known);
    }
    return known.wish;
  };
  return { of, areWhole: false, arrange, ...limits };
}

const ALONE: DeviceWish = {
  millis: WHOLE_DEVICE_MILLIS,
  loadMillis: WHOLE_DEVICE_MILLIS,
  isLearning: false,
};
const LEARNING: DeviceWish = { ...ALONE, isLearning: true };

function wishOn(knowledge: Knowledge, spec: JobSpec, device: Device): DeviceWish | null {
  // How much of it a job takes cannot be said of a device that does not say how much it has.
  if (device.memoryBytes === 0) return ALONE;
  const { state, now } = knowledge;
  const footprint = footprintOf(state, spec, device.kind);
  if (footprint === null) {
    if (isElusive(state, spec, device.kind)) return ALONE;
    const learner = currentLearner(knowledge, spec, device);
    if (learner === null) return LEARNING;
    return isSilent(knowledge, learner) ? ALONE : null;
  }
  return { ...partOf(footprint, device, now), isLearning: false };
}

/** What a job of this kind is given of a device; of one that it uses at least so much already. */
export function partOf(
  footprint: Footprint,
  device: Device,
  now: number,
  usedBytes = 0,
): { readonly millis: number; readonly loadMillis: number } {
  const { memoryBytes, loadMillis } = estimateOf(footprint, now);
  const millis = millisOf(Math.max(memoryBytes, usedBytes), device);
  if (millis >= WHOLE_DEVICE_MILLIS) return { millis, loadMillis: WHOLE_DEVICE_MILLIS };
  const isLoadKnown = footprint.load.count > 0 || footprint.setLoadMillis !== undefined;
  return { millis, loadMillis: isLoadKnown ? loadMillis : millis };
}

function currentLearner({ state, learners }: Knowledge, spec: JobSpec, { kind }: Device): JobId | null {
  const [before, inPass] = [state.learners, learners].map(
    (some) => some && learnerOf({ learners: some }, spec, kind),
  );
  return before?.job ?? inPass?.job ?? null;
}

/** It should have shown by now what it uses, and nobody has seen it: waiting for more could last as long as it does. */
function isSilent({ state, policy, now }: Knowledge, learner: JobId): boolean {
  const { startedAt = null } = state.jobs.get(learner)?.attempt ?? {};
  return startedAt !== null && now - startedAt > 2 * policy.gpu.learnAfterMs;
}

/** So many bytes of a device in thousandths, and never none. */
export function millisOf(bytes: number, { memoryBytes }: Pick<Device, 'memoryBytes'>): number {
  return Math.max(1, Math.min(WHOLE_DEVICE_MILLIS, Math.ceil((bytes * WHOLE_DEVICE_MILLIS) / memoryBytes)));
}

const limiting = new WeakMap<object, boolean>();

export function limitsGpus(policy: Knowledge['policy']): boolean {
  let answer = limiting.get(policy);
  if (answer === undefined) {
    const { perUser, queues, qos } = policy;
    const caps = [perUser, ...queues.map(({ limits }) => limits)].map(({ maxGpus }) => maxGpus);
    const perEach = [...queues.map(({ limits }) => limits), ...qos].map(
      ({ maxGpusPerUser }) => maxGpusPerUser,
    );
    answer = [...caps, ...perEach].some((cap) => cap !== null);
    limiting.set(policy, answer);
  }
  return answer;
}

/** The same request as limits count it: with the smallest part that would do on some device there is. */
export function asCounted(knowledge: Knowledge, spec: JobSpec): JobSpec {
  const { gpus } = spec.resources;
  if (gpus === null || !isShared(gpus) || !limitsGpus(knowledge.policy)) return spec;
  const wishes = knownWishes(knowledge, spec, gpus);
  let shareMillis = WHOLE_DEVICE_MILLIS;
  for (const { devices } of knowledge.state.nodes.values())
    for (const device of devices)
      shareMillis = Math.min(shareMillis, wishes.of(device)?.millis ?? WHOLE_DEVICE_MILLIS);
  return { ...spec, resources: { ...spec.resources, gpus: { ...gpus, shareMillis } } };
}
