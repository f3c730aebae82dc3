/** In which of its queues a job can start now, and where there. A job that would do with several takes the first that can. */

import type { QueueName } from '../../model/ids.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Device } from '../../model/node.ts';
import type { Policy, Queue } from '../../model/policy.ts';
import { mayStartIn, queuesFor } from '../queues.ts';
import { asCounted, isShared, limitsGpus, type SizedRequest, sized } from './device-wishes.ts';
import { findPlace } from './fit.ts';
import { largest } from './largest.ts';
import { limitReached, type Running } from './limits.ts';
import { endsBy, nodesFor, openTo, type Pass, type Seat } from './pass.ts';

/** Those that start jobs now and have not reached a limit, the preferred one first. */
export function queuesNow(pass: Pass, spec: JobSpec, blocked: ReadonlySet<QueueName>): readonly Queue[] {
  const { state, policy, running } = pass;
  const counted = asCounted(pass, spec);
  return queuesFor(policy, spec).filter(
    (queue) =>
      mayStartIn(state, queue, spec) &&
      !blocked.has(queue.name) &&
      limitReached(policy, queue, counted, running) === null,
  );
}

export function findSeat(pass: Pass, spec: JobSpec, queues: readonly Queue[]): Seat | null {
  for (const queue of queues) {
    const request = withinLimits(pass.policy, queue, spec, requestIn(pass, queue, spec), pass.running);
    const nodes = nodesFor(pass, queue, spec);
    const placement = findPlace(request, openTo(pass, nodes, endsBy(pass, spec)));
    if (placement !== null) return { queue, placement };
  }
  return null;
}

/** What it wants of devices worked out; where it shares them, without those of which it would take more than it may have. */
export function requestIn(pass: Pass, queue: Queue, spec: JobSpec): SizedRequest {
  const request = sized(pass, spec, spec.resources);
  const { gpus, wishes } = request;
  if (gpus === null || wishes === undefined || !isShared(gpus) || !limitsGpus(pass.policy)) return request;
  const of = (device: Device) => {
    const wish = wishes.of(device);
    if (wish === null) return null;
    const counted = {
      ...spec,
      resources: { ...spec.resources, gpus: { ...gpus, shareMillis: wish.millis } },
    };
    return limitReached(pass.policy, queue, counted, pass.running) === null ? wish : null;
  };
  return { ...request, wishes: { ...wishes, of } };
}

/** What it asks for, with no more ranks than the limits leave to it. */
function withinLimits(
  policy: Policy,
  queue: Queue,
  spec: JobSpec,
  resources: SizedRequest,
  running: Running,
): SizedRequest {
  const { ranks: least, ranksMax } = resources;
  if (ranksMax === undefined) return resources;
  const allows = (ranks: number) =>
    limitReached(policy, queue, { ...spec, resources: { ...resources, ranks } }, running) === null;
  return { ...resources, ranksMax: largest(least, ranksMax, allows) };
}
