/** In which of its queues a job can start now, and where there. A job that would do with several takes the first that can. */

import type { QueueName } from '../../model/ids.ts';
import type { JobSpec } from '../../model/job-spec.ts';
import type { Policy, Queue } from '../../model/policy.ts';
import { mayStartIn, queuesFor } from '../queues.ts';
import { asCounted, type SizedRequest, sized } from './device-wishes.ts';
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
    const request = withinLimits(pass.policy, queue, spec, sized(pass, spec, spec.resources), pass.running);
    const nodes = nodesFor(pass, queue, spec);
    const placement = findPlace(request, openTo(pass, nodes, endsBy(pass, spec)));
    if (placement !== null) return { queue, placement };
  }
  return null;
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
