/** What was seen on devices: attempts that use more than is kept for them, first runs that have shown enough, and strangers. */

import type { Observation } from '../../model/command.ts';
import type { DeviceUse } from '../../model/device-use.ts';
import type { JobId, NodeName } from '../../model/ids.ts';
import { type Attempt, type DeviceShare, isUnderWay, type Job } from '../../model/job.ts';
import type { Device } from '../../model/node.ts';
import { deviceOf, foreignMillis } from '../devices.ts';
import { footprintOf } from '../footprints/book.ts';
import { learnProvisionally } from '../footprints/learn.ts';
import { millisOf, partOf } from '../schedule/device-wishes.ts';
import { record, type Turn } from '../turn.ts';
import { currentAttempt } from './find.ts';

export function deviceUseSeen(
  turn: Turn,
  { attempt: id, uses, ranMs }: Extract<Observation, { type: 'deviceUseSeen' }>,
): JobId | null {
  const found = currentAttempt(turn, id);
  if (found === null || !isUnderWay(found.attempt)) return null;
  const { job, attempt } = found;
  const shares = [...sharesOf(turn, attempt)];
  const isLearning = shares.some(({ share }) => share.learningOn !== undefined);
  const hasShownEnough = isLearning && ranMs >= turn.policy.gpu.learnAfterMs;
  if (hasShownEnough) learnProvisionally(turn, { job, attempt, uses, ranMs });
  for (const held of shares) {
    const use = uses.find(({ node, index }) => node === held.node && index === held.share.index);
    if (use === undefined) continue;
    if (held.share.learningOn !== undefined) {
      if (hasShownEnough) settle(turn, job, attempt, held, use);
    } else growWith(turn, job, attempt, held, use);
  }
  return job.id;
}

interface Held {
  readonly node: NodeName;
  readonly share: DeviceShare;
  readonly device: Device;
}

function* sharesOf({ state }: Turn, { placement }: Attempt): Generator<Held> {
  for (const { node, devices } of placement.nodes) {
    for (const share of devices) {
      const device = deviceOf(state.nodes.get(node), share.index);
      if (device !== null && device.memoryBytes > 0) yield { node, share, device };
    }
  }
}

/** What it really uses counts, so that nobody is promised that as well. */
function growWith(
  turn: Turn,
  job: Job,
  attempt: Attempt,
  { node, share, device }: Held,
  use: DeviceUse,
): void {
  const millis = millisOf(use.memoryBytes.peak, device);
  if (millis <= share.millis) return;
  const grown: DeviceShare = { ...share, millis, hasGrown: true };
  record(turn, {
    type: 'deviceShareChanged',
    job: job.id,
    attempt: attempt.id,
    node,
    share: grown,
    because: 'grown',
  });
}

/** The first of its kind has run for so long that it needs the device no longer to itself. */
function settle(turn: Turn, job: Job, attempt: Attempt, { node, share, device }: Held, use: DeviceUse): void {
  const footprint = footprintOf(turn.state, job.spec, device.kind);
  if (footprint === null) return;
  const known: DeviceShare = {
    index: share.index,
    ...partOf(footprint, device, turn.now, use.memoryBytes.peak),
  };
  record(turn, {
    type: 'deviceShareChanged',
    job: job.id,
    attempt: attempt.id,
    node,
    share: known,
    because: 'known',
  });
}

export function foreignUseSeen(
  turn: Turn,
  { node: name, foreign }: Extract<Observation, { type: 'foreignUseSeen' }>,
): null {
  const node = turn.state.nodes.get(name);
  if (node === undefined) return null;
  const there = foreign.filter(({ index, bytes }) => bytes > 0 && deviceOf(node, index) !== null);
  // Less than a thousandth more or less changes no place, and programs do that all the time.
  const isNews = node.devices.some((device) => {
    const foreignBytes = there.find((use) => use.index === device.index)?.bytes ?? 0;
    const isThere = foreignBytes > 0;
    if (isThere !== (device.foreignBytes ?? 0) > 0) return true;
    return foreignMillis(device) !== foreignMillis({ ...device, foreignBytes });
  });
  if (isNews) record(turn, { type: 'foreignUseSeen', node: name, foreign: there });
  return null;
}
