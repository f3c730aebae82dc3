/**
 * What must hold of every place that is given on devices, held against the log: each event is applied to a second yard, and
 * what it promises is looked at before and after. Throws when something does not hold.
 */

import { apply } from '../../core/apply.ts';
import { groupKey, membersOf } from '../../core/backlog.ts';
import { deviceOf, foreignMillis } from '../../core/devices.ts';
import { footprintOf } from '../../core/footprints/book.ts';
import { jobsAndShares } from '../../core/occupancy.ts';
import { jobOf, newState, type YardState } from '../../core/state.ts';
import type { Event } from '../../model/event.ts';
import type { JobId, NodeName } from '../../model/ids.ts';
import type { DeviceShare, Job } from '../../model/job.ts';
import type { Device } from '../../model/node.ts';
import type { Policy } from '../../model/policy.ts';
import { invariant } from '../../model/refusal.ts';

export interface Promises {
  /** What the log alone gives. */
  readonly replayed: YardState;
  follow(event: Event): void;
}

export function watchPromises(policy: Policy): Promises {
  const state = newState();
  return {
    replayed: state,
    follow(event) {
      if (event.type === 'attemptAssigned') firstOfItsEqualsGoes(state, event.job);
      apply(state, event);
      if (event.type === 'attemptAssigned') placeHolds(state, policy, jobOf(state, event.job), event.at);
    },
  };
}

/** Of one user's jobs that are alike, none goes before one that has waited longer. */
function firstOfItsEqualsGoes(state: YardState, id: JobId): void {
  const job = jobOf(state, id);
  const group = state.backlog.groups.get(groupKey(job.spec));
  if (group === undefined || job.element !== null) return;
  const [first] = membersOf(group);
  invariant(first === id, `job ${id} starts before job ${first}, which is alike and has waited longer`);
}

interface Taken {
  readonly job: JobId;
  readonly share: DeviceShare;
}

function placeHolds(state: YardState, policy: Policy, job: Job, now: number): void {
  for (const { node, devices } of job.attempt?.placement.nodes ?? []) {
    for (const share of devices) {
      const device = deviceOf(state.nodes.get(node), share.index);
      invariant(device !== null, `job ${job.id} is on device ${share.index} of ${node}, which is not there`);
      const others = tenantsOf(state, node, share.index).filter((tenant) => tenant.job !== job.id);
      const where = `job ${job.id} on device ${share.index} of ${node}`;
      isNotPromisedTwice(where, device, share, others, policy);
      if (job.spec.resources.gpus?.sharing === 'auto')
        sharesAsKnown(where, state, job, device, share, others, policy, now);
    }
  }
}

function tenantsOf(state: YardState, node: NodeName, index: number): Taken[] {
  return (jobsAndShares(state).get(node) ?? []).flatMap(({ job, share: { devices } }) =>
    devices.filter((share) => share.index === index).map((share) => ({ job, share })),
  );
}

function isNotPromisedTwice(
  where: string,
  device: Device,
  share: DeviceShare,
  others: readonly Taken[],
  { gpu: { foreignToleranceMillis } }: Policy,
): void {
  // Who has grown counts with what it uses, since that is what is kept for it.
  const taken = others.reduce((sum, { share: { millis } }) => sum + millis, 0);
  const foreign = foreignMillis(device);
  if (share.millis >= 1000) {
    invariant(others.length === 0, `${where} has all of it and is not alone`);
    invariant(foreign <= foreignToleranceMillis, `${where} has all of it and strangers have ${foreign}`);
  } else
    invariant(
      taken + share.millis + foreign <= 1000,
      `${where} was promised ${share.millis}, others have ${taken} and strangers ${foreign}`,
    );
  const learner = others.find((tenant) => tenant.share.learningOn !== undefined);
  invariant(learner === undefined, `${where} is beside job ${learner?.job}, which shows what its kind uses`);
}

function sharesAsKnown(
  where: string,
  state: YardState,
  { spec }: Job,
  device: Device,
  share: DeviceShare,
  others: readonly Taken[],
  { gpu: { maxLoadMillis } }: Policy,
  now: number,
): void {
  const { kind, memoryBytes } = device;
  const footprint = footprintOf(state, spec, kind);
  if (share.learningOn !== undefined) {
    invariant(share.learningOn === kind, `${where} learns on ${share.learningOn}, which is ${kind}`);
    invariant(footprint === null, `${where} learns what is known`);
  }
  if (footprint === null || memoryBytes === 0) {
    invariant(share.millis === 1000, `${where} is of an unknown kind and has ${share.millis} of it`);
    return;
  }
  const most = footprint.setBytes ?? Math.max(footprint.memory.max, footprint.atLeastBytes ?? 0);
  invariant(
    share.millis === 1000 || share.millis * memoryBytes >= 1000 * most,
    `${where} has ${share.millis} at ${now}, and its kind was seen to use ${most} of ${memoryBytes} bytes`,
  );
  const load = others.reduce((sum, { share: { millis, loadMillis = millis } }) => sum + loadMillis, 0);
  invariant(
    load === 0 || load + (share.loadMillis ?? share.millis) <= maxLoadMillis,
    `${where} adds ${share.loadMillis} to a load of ${load}`,
  );
}
