/** What a lease that was granted says to its client: which devices, and the variables by which frameworks find them. */

import type { NodeName } from '../../model/ids.ts';
import type { Attempt, Job } from '../../model/job.ts';
import type { Device } from '../../model/node.ts';
import type { Yard } from '../yard.ts';
import type { LeasedDevice, LeaseGrant } from './lease.ts';

/** A device, and how many thousandths of it are kept for the lease. */
export interface HeldDevice {
  readonly device: Device;
  readonly millis: number;
}

export interface HeldDevices {
  readonly node: NodeName;
  readonly devices: readonly HeldDevice[];
  readonly isLimited: boolean;
  readonly yardDirectory: string;
}

export type DeviceVariables = (held: HeldDevices) => Readonly<Record<string, string>>;

export function grantOf(yard: Yard, job: Job, attempt: Attempt, variablesOf: DeviceVariables): LeaseGrant {
  // A lease is on one node.
  const share = attempt.placement.nodes[0];
  const node = share?.node ?? '';
  const known = yard.query('nodes', { names: [node] })[0]?.node.devices ?? [];
  const held = (share?.devices ?? []).flatMap(({ index, millis }) => {
    const device = known.find((each) => each.index === index);
    return device === undefined ? [] : [{ device, millis }];
  });
  const variables = variablesOf({
    node,
    devices: held,
    isLimited: job.spec.resources.gpus?.isLimited ?? false,
    yardDirectory: yard.query('yard', {}).directory,
  });
  return {
    job: job.id,
    lease: attempt.id,
    devices: held.map((each) => leasedDevice(node, each)),
    variables: { ...variables, TRAINYARD_LEASE: attempt.id },
    isLearning: (share?.devices ?? []).some(({ learningOn }) => learningOn !== undefined),
  };
}

function leasedDevice(node: NodeName, { device, millis }: HeldDevice): LeasedDevice {
  const { index, kind, memoryBytes } = device;
  return { node, index, kind, memoryBytes, shareBytes: Math.round((memoryBytes * millis) / 1000) };
}

/** Without them TensorFlow and JAX take all of a device at once, whoever else is on it. */
const GROW_ON_DEMAND = { TF_FORCE_GPU_ALLOW_GROWTH: 'true', XLA_PYTHON_CLIENT_PREALLOCATE: 'false' };

export const leaseVariables: DeviceVariables = ({ node, devices, isLimited, yardDirectory }) => {
  const visible = devices.map(({ device }) => device.visibleAs ?? `${device.index}`).join(',');
  const smallest = Math.min(1000, ...devices.map(({ millis }) => millis));
  const isSimulated = devices.some(({ device }) => device.simulated);
  return {
    CUDA_VISIBLE_DEVICES: visible,
    ...(isSimulated
      ? { TRAINYARD_SIMULATED_GPUS: `${yardDirectory}/simulated-gpus/${node}` }
      : { CUDA_DEVICE_ORDER: 'PCI_BUS_ID' }),
    ...GROW_ON_DEMAND,
    ...(isLimited && smallest < 1000 ? { XLA_PYTHON_CLIENT_MEM_FRACTION: `${smallest / 1000}` } : {}),
  };
};
