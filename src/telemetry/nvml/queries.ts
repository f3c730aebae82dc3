/** What the driver's library tells about one device, each as a plain value; null when it does not tell. */

import {
  type Handle,
  INSUFFICIENT_SIZE,
  NOT_FOUND,
  type Nvml,
  type NvmlFunction,
  SUCCESS,
} from './library.ts';

const TEXT_BYTES = 128;
const TEMPERATURE_OF_GPU = 0;
const FIRST_ROOM = 32;
const MOST_ROOM = 65_536;
const MEMORY_V2_BYTES = 40;

export interface Memory {
  readonly totalBytes: number;
  readonly usedBytes: number;
}

export async function textOf(nvml: Nvml, name: NvmlFunction, device: Handle): Promise<string | null> {
  const text = Buffer.alloc(TEXT_BYTES);
  if ((await nvml.call(name, device, text, TEXT_BYTES)) !== SUCCESS) return null;
  return text.toString('utf8', 0, text.indexOf(0));
}

/** One unsigned number behind the last parameter. */
export async function numberOf(
  nvml: Nvml,
  name: NvmlFunction,
  ...args: readonly unknown[]
): Promise<number | null> {
  const number = Buffer.alloc(4);
  return (await nvml.call(name, ...args, number)) === SUCCESS ? number.readUInt32LE(0) : null;
}

export async function handleOf(
  nvml: Nvml,
  name: NvmlFunction,
  ...args: readonly unknown[]
): Promise<Handle | null> {
  const handle = Buffer.alloc(8);
  return (await nvml.call(name, ...args, handle)) === SUCCESS ? handle.readBigUInt64LE(0) : null;
}

/** Without what the driver keeps for itself, where the library can tell that apart. */
export async function memoryOf(nvml: Nvml, device: Handle): Promise<Memory | null> {
  const memory = Buffer.alloc(MEMORY_V2_BYTES);
  memory.writeUInt32LE(MEMORY_V2_BYTES | (2 << 24), 0);
  if ((await nvml.call('nvmlDeviceGetMemoryInfo_v2', device, memory)) === SUCCESS) {
    return { totalBytes: u64(memory, 8) - u64(memory, 16), usedBytes: u64(memory, 32) };
  }
  memory.fill(0);
  if ((await nvml.call('nvmlDeviceGetMemoryInfo', device, memory)) !== SUCCESS) return null;
  return { totalBytes: u64(memory, 0), usedBytes: u64(memory, 16) };
}

export async function loadMillisOf(nvml: Nvml, device: Handle): Promise<number | null> {
  const rates = Buffer.alloc(8);
  if ((await nvml.call('nvmlDeviceGetUtilizationRates', device, rates)) !== SUCCESS) return null;
  return percentToMillis(rates.readUInt32LE(0));
}

export function temperatureOf(nvml: Nvml, device: Handle): Promise<number | null> {
  return numberOf(nvml, 'nvmlDeviceGetTemperature', device, TEMPERATURE_OF_GPU);
}

export async function powerOf(nvml: Nvml, device: Handle): Promise<number | null> {
  const milliwatts = await numberOf(nvml, 'nvmlDeviceGetPowerUsage', device);
  return milliwatts === null ? null : Math.round(milliwatts / 1000);
}

export interface RunningProcess {
  readonly pid: number;
  /** Null: it is not told. */
  readonly memoryBytes: number | null;
}

const COMPUTE: readonly NvmlFunction[] = [
  'nvmlDeviceGetComputeRunningProcesses_v3',
  'nvmlDeviceGetComputeRunningProcesses_v2',
  'nvmlDeviceGetComputeRunningProcesses',
];
const GRAPHICS: readonly NvmlFunction[] = [
  'nvmlDeviceGetGraphicsRunningProcesses_v3',
  'nvmlDeviceGetGraphicsRunningProcesses_v2',
  'nvmlDeviceGetGraphicsRunningProcesses',
];

/** A process that computes and draws is in both lists, with the same memory in each. */
export async function processesOf(nvml: Nvml, device: Handle): Promise<readonly RunningProcess[] | null> {
  const computing = await runningOn(nvml, COMPUTE, device);
  if (computing === null) return null;
  const drawing = (await runningOn(nvml, GRAPHICS, device)) ?? [];
  const computingPids = new Set(computing.map(({ pid }) => pid));
  return [...computing, ...drawing.filter(({ pid }) => !computingPids.has(pid))];
}

/** No version of these structs is larger, so no version can write beyond the room it was given. */
const MOST_INFO_BYTES = 32;
const USUAL_INFO_BYTES = 24;
const INFO_SIZES = [16, USUAL_INFO_BYTES, MOST_INFO_BYTES];
const UNTOUCHED = 0xa5;
const NOT_TOLD = 0xffff_ffff_ffff_ffffn;

async function runningOn(
  nvml: Nvml,
  names: readonly NvmlFunction[],
  device: Handle,
): Promise<readonly RunningProcess[] | null> {
  const found = await listed(MOST_INFO_BYTES, (infos, count) => nvml.call(names, device, count, infos));
  if (found === null) return null;
  const { infos, count } = found;
  const size = sizeOfEach(infos, count);
  return Array.from({ length: count }, (_, i) => {
    const memory = infos.readBigUInt64LE(i * size + 8);
    return { pid: infos.readUInt32LE(i * size), memoryBytes: memory === NOT_TOLD ? null : Number(memory) };
  });
}

/**
 * The name of a function does not say how large its structs are: drivers of the 535 series had larger ones behind
 * a name that had smaller ones before and after. How much was written does say it.
 */
function sizeOfEach(infos: Buffer, count: number): number {
  let written = infos.length;
  while (written > 0 && infos[written - 1] === UNTOUCHED) written--;
  return INFO_SIZES.find((size) => size * count >= written) ?? USUAL_INFO_BYTES;
}

const SAMPLE_BYTES = 32;

/** How busy each process has kept the device lately, by process number; who has done nothing may be missing. */
export async function loadsOf(
  nvml: Nvml,
  device: Handle,
  sinceMs: number,
): Promise<ReadonlyMap<number, number> | null> {
  const sinceUs = BigInt(sinceMs) * 1000n;
  const found = await listed(SAMPLE_BYTES, (samples, count) =>
    nvml.call('nvmlDeviceGetProcessUtilization', device, samples, count, sinceUs),
  );
  if (found === null) return null;
  const newest = new Map<number, { readonly at: bigint; readonly loadMillis: number }>();
  for (let i = 0; i < found.count; i++) {
    const pid = found.infos.readUInt32LE(i * SAMPLE_BYTES);
    const at = found.infos.readBigUInt64LE(i * SAMPLE_BYTES + 8);
    const loadMillis = percentToMillis(found.infos.readUInt32LE(i * SAMPLE_BYTES + 16));
    if (at >= (newest.get(pid)?.at ?? 0n)) newest.set(pid, { at, loadMillis });
  }
  return new Map([...newest].map(([pid, { loadMillis }]) => [pid, loadMillis]));
}

/** Asks with more room until the list fits. */
async function listed(
  bytesEach: number,
  ask: (infos: Buffer, count: Buffer) => Promise<number>,
): Promise<{ readonly infos: Buffer; readonly count: number } | null> {
  for (let room = FIRST_ROOM; room <= MOST_ROOM; ) {
    const infos = Buffer.alloc(room * bytesEach, UNTOUCHED);
    const countBytes = Buffer.alloc(4);
    countBytes.writeUInt32LE(room, 0);
    const code = await ask(infos, countBytes);
    const count = countBytes.readUInt32LE(0);
    if (code === NOT_FOUND) return { infos, count: 0 };
    if (code === SUCCESS) return { infos, count: Math.min(count, room) };
    if (code !== INSUFFICIENT_SIZE) return null;
    // There may be more of them by the time they are asked for again.
    room = Math.max(room * 2, count + FIRST_ROOM);
  }
  return null;
}

function percentToMillis(percent: number): number {
  return Math.min(100, percent) * 10;
}

function u64(bytes: Buffer, offset: number): number {
  return Number(bytes.readBigUInt64LE(offset));
}
