/**
 * Which devices the driver's library knows. They have the numbers that it gives them, in the order of the bus. A
 * device that is divided (MIG) is not listed; its parts are, each as a device of its own, and then all of them are
 * numbered anew, and programs must be told their names.
 */

import type { HardwareDevice } from '../device-source.ts';
import { kindOf } from '../devices.ts';
import type { Handle, Nvml } from './library.ts';
import { handleOf, memoryOf, numberOf, textOf } from './queries.ts';

export interface NvmlDevice {
  readonly device: HardwareDevice;
  readonly handle: Handle;
  /** Part of a larger one: then nobody can tell how busy it is. */
  readonly isPart: boolean;
}

type Described = Omit<HardwareDevice, 'index'>;

interface Found {
  readonly number: number;
  readonly handle: Handle;
  readonly isPart: boolean;
  readonly described: Described;
}

const MIG_IS_ON = 1;
const ATTRIBUTES_BYTES = 128;

export async function findNvmlDevices(nvml: Nvml): Promise<readonly NvmlDevice[]> {
  const found: Found[] = [];
  const count = (await numberOf(nvml, 'nvmlDeviceGetCount_v2')) ?? 0;
  for (let number = 0; number < count; number++) {
    const handle = await handleOf(nvml, 'nvmlDeviceGetHandleByIndex_v2', number);
    if (handle === null) continue;
    const whole = { number, handle, isPart: false, described: await describe(nvml, handle) };
    found.push(...((await partsOf(nvml, whole)) ?? [whole]));
  }
  const isDivided = found.some(({ isPart }) => isPart);
  return found.map(({ number, handle, isPart, described }, position) => {
    const { uuid } = described;
    const device = isDivided
      ? { index: position, ...described, ...(uuid === undefined ? {} : { visibleAs: uuid }) }
      : { index: number, ...described };
    return { device, handle, isPart };
  });
}

async function describe(nvml: Nvml, handle: Handle): Promise<Described> {
  const name = await textOf(nvml, 'nvmlDeviceGetName', handle);
  const uuid = await textOf(nvml, 'nvmlDeviceGetUUID', handle);
  const memory = await memoryOf(nvml, handle);
  return {
    kind: kindOf(name ?? 'gpu'),
    memoryBytes: memory?.totalBytes ?? 0,
    simulated: false,
    ...(uuid === null ? {} : { uuid }),
  };
}

/** Null when it is not divided; none when it is, and nobody has made parts of it yet. */
async function partsOf(nvml: Nvml, whole: Found): Promise<readonly Found[] | null> {
  const pending = Buffer.alloc(4);
  const current = Buffer.alloc(4);
  const code = await nvml.call('nvmlDeviceGetMigMode', whole.handle, current, pending);
  if (code !== 0 || current.readUInt32LE(0) !== MIG_IS_ON) return null;
  const most = (await numberOf(nvml, 'nvmlDeviceGetMaxMigDeviceCount', whole.handle)) ?? 0;
  const parts: Found[] = [];
  for (let i = 0; i < most; i++) {
    const handle = await handleOf(nvml, 'nvmlDeviceGetMigDeviceHandleByIndex', whole.handle, i);
    if (handle === null) continue;
    const described = await describePart(nvml, handle, whole.described);
    parts.push({ number: whole.number, handle, isPart: true, described });
  }
  return parts;
}

async function describePart(nvml: Nvml, handle: Handle, whole: Described): Promise<Described> {
  const described = await describe(nvml, handle);
  const kind = /-mig-/.test(described.kind)
    ? described.kind
    : `${whole.kind}-mig-${await profileOf(nvml, handle, described.memoryBytes)}`;
  const gpuInstance = await numberOf(nvml, 'nvmlDeviceGetGpuInstanceId', handle);
  const computeInstance = await numberOf(nvml, 'nvmlDeviceGetComputeInstanceId', handle);
  const isNamed = whole.uuid !== undefined && gpuInstance !== null && computeInstance !== null;
  // Older drivers had this name for it, and newer ones still understand it.
  const aliases = isNamed ? [`MIG-${whole.uuid}/${gpuInstance}/${computeInstance}`] : [];
  return { ...described, kind, aliases };
}

/** `1g.5gb`: how many of the slices it has, and how much memory. */
async function profileOf(nvml: Nvml, handle: Handle, memoryBytes: number): Promise<string> {
  const attributes = Buffer.alloc(ATTRIBUTES_BYTES);
  const code = await nvml.call('nvmlDeviceGetAttributes_v2', handle, attributes);
  const gigabytes = `${Math.round(memoryBytes / 1024 ** 3)}gb`;
  return code === 0 ? `${attributes.readUInt32LE(24)}g.${gigabytes}` : gigabytes;
}
