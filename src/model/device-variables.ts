/**
 * What a program is told about the GPUs that it may use: which they are, and, where it shares them, to take memory as
 * it needs it rather than all at once. Whoever starts programs on devices says it in these words, a lease as well.
 */

import type { DeviceShare } from './job.ts';
import type { GpuRequest } from './job-spec.ts';
import { type Node, visibleName } from './node.ts';

export interface DevicesTold {
  /** Where they are. */
  readonly node: Pick<Node, 'name' | 'devices'>;
  /** What it was given there. */
  readonly shares: readonly DeviceShare[];
  /** What it asked for; null: no devices. */
  readonly request: Pick<GpuRequest, 'sharing' | 'isLimited'> | null;
  readonly yardDirectory: string;
  /** Whether it brings such a variable along; what it says itself counts. */
  readonly submitterHas: (name: string) => boolean;
}

const WHOLE_MILLIS = 1000;
const VISIBLE = 'CUDA_VISIBLE_DEVICES';

/** Nothing on a node without devices. On one that has some, who was given none is shown none. */
export function deviceVariables(told: DevicesTold): Map<string, string> {
  const { node, shares, request, yardDirectory, submitterHas } = told;
  const variables = new Map<string, string>();
  if (node.devices.length === 0) return variables;
  variables.set(VISIBLE, shares.map(({ index }) => nameOn(node, index)).join(','));
  if (shares.length === 0) return variables;
  const unlessSaid = (name: string, value: string) => {
    if (!submitterHas(name)) variables.set(name, value);
  };
  const held = shares.flatMap(({ index }) => node.devices.find((device) => device.index === index) ?? []);
  // The numbers are those of the bus, and CUDA would count the quickest device first.
  if (held.some(({ simulated }) => !simulated)) unlessSaid('CUDA_DEVICE_ORDER', 'PCI_BUS_ID');
  if (held.some(({ simulated }) => simulated))
    variables.set('TRAINYARD_SIMULATED_GPUS', `${simulatedGpusIn(yardDirectory)}/${node.name}`);
  if (mayHaveNeighbours(shares, request)) {
    unlessSaid('TF_FORCE_GPU_ALLOW_GROWTH', 'true');
    unlessSaid('XLA_PYTHON_CLIENT_PREALLOCATE', 'false');
  }
  const least = Math.min(...shares.map(({ millis }) => millis));
  if (request?.isLimited === true && least < WHOLE_MILLIS) {
    const fraction = (Math.max(1, Math.floor(least / 10)) / 100).toFixed(2);
    unlessSaid('XLA_PYTHON_CLIENT_MEM_FRACTION', fraction);
    variables.set('TRAINYARD_GPU_MEMORY_FRACTION', fraction);
  }
  return variables;
}

/** Where the simulated devices of a yard are: programs that pretend to use one say so there. */
export function simulatedGpusIn(yardDirectory: string): string {
  return `${yardDirectory}/simulated-gpus`;
}

/** A variable that somebody has set by the numbers of devices, in the names that their programs need to see them. */
export function byVisibleNames(name: string, value: string, node: Pick<Node, 'devices'> | null): string {
  if (name !== VISIBLE || node === null || !/^\d+(?:,\d+)*$/.test(value)) return value;
  return value
    .split(',')
    .map((index) => nameOn(node, Number(index)))
    .join(',');
}

function nameOn({ devices }: Pick<Node, 'devices'>, index: number): string {
  return visibleName(devices.find((each) => each.index === index) ?? { index });
}

/** Now or later: what a first run leaves free is given to others once it is known. */
function mayHaveNeighbours(shares: readonly DeviceShare[], request: DevicesTold['request']): boolean {
  return (
    request?.sharing === 'auto' ||
    shares.some(({ millis, learningOn }) => millis < WHOLE_MILLIS || learningOn !== undefined)
  );
}
