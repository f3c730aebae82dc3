/** What a program is told about the GPUs that it may use: which they are, and to take memory as it needs it. */

import type { DeviceShare } from '../../model/job.ts';
import type { GpuRequest } from '../../model/job-spec.ts';
import type { Node } from '../../model/node.ts';

export interface DevicesTold {
  /** Where they are. */
  readonly node: Pick<Node, 'name' | 'devices'>;
  /** What it was given there. */
  readonly shares: readonly DeviceShare[];
  readonly request: Pick<GpuRequest, 'sharing' | 'isLimited'> | null;
  readonly yardDirectory: string;
  /** Whether it brings such a variable along; what it says itself counts. */
  readonly submitterHas: (name: string) => boolean;
}

const WHOLE_MILLIS = 1000;

export function deviceVariables(told: DevicesTold): Map<string, string> {
  const { node, shares, request, yardDirectory, submitterHas } = told;
  const held = shares.flatMap(({ index }) => node.devices.find((device) => device.index === index) ?? []);
  const visible = held.map(({ visibleAs, index }) => visibleAs ?? `${index}`).join(',');
  const variables = new Map([['CUDA_VISIBLE_DEVICES', visible]]);
  const unlessSaid = (name: string, value: string) => {
    if (!submitterHas(name)) variables.set(name, value);
  };
  if (held.some(({ simulated }) => simulated))
    variables.set('TRAINYARD_SIMULATED_GPUS', `${yardDirectory}/simulated-gpus/${node.name}`);
  else unlessSaid('CUDA_DEVICE_ORDER', 'PCI_BUS_ID');
  // Without these TensorFlow and JAX take all of a device at once, whoever else is on it.
  unlessSaid('TF_FORCE_GPU_ALLOW_GROWTH', 'true');
  unlessSaid('XLA_PYTHON_CLIENT_PREALLOCATE', 'false');
  const least = Math.min(WHOLE_MILLIS, ...shares.map(({ millis }) => millis));
  if (request?.isLimited === true && least < WHOLE_MILLIS) {
    const fraction = (Math.max(1, Math.floor(least / 10)) / 100).toFixed(2);
    unlessSaid('XLA_PYTHON_CLIENT_MEM_FRACTION', fraction);
    variables.set('TRAINYARD_GPU_MEMORY_FRACTION', fraction);
  }
  return variables;
}
