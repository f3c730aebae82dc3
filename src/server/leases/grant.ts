/** What a lease that was granted says to its client: which devices, and the variables by which frameworks find them. */

import { deviceVariables } from '../../model/device-variables.ts';
import type { Attempt, DeviceShare, Job } from '../../model/job.ts';
import type { Node } from '../../model/node.ts';
import type { Yard } from '../yard.ts';
import type { LeasedDevice, LeaseGrant } from './lease.ts';

export function grantOf(yard: Yard, job: Job, attempt: Attempt): LeaseGrant {
  // A lease is on one node.
  const place = attempt.placement.nodes[0];
  const name = place?.node ?? '';
  const shares = place?.devices ?? [];
  const node = yard.query('nodes', { names: [name] })[0]?.node ?? { name, devices: [] };
  const variables = deviceVariables({
    node,
    shares,
    request: job.spec.resources.gpus,
    yardDirectory: yard.query('yard', {}).directory,
    // What its program has set is known to its client alone.
    submitterHas: () => false,
  });
  return {
    job: job.id,
    lease: attempt.id,
    devices: shares.flatMap((share) => leasedDevice(node, share)),
    variables: { ...Object.fromEntries(variables), TRAINYARD_LEASE: attempt.id },
    isLearning: shares.some(({ learningOn }) => learningOn !== undefined),
  };
}

function leasedDevice({ name, devices }: Pick<Node, 'name' | 'devices'>, share: DeviceShare): LeasedDevice[] {
  const device = devices.find(({ index }) => index === share.index);
  if (device === undefined) return [];
  const { index, kind, memoryBytes } = device;
  return [
    { node: name, index, kind, memoryBytes, shareBytes: Math.round((memoryBytes * share.millis) / 1000) },
  ];
}
