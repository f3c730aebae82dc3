/**
 * The devices of this machine through the driver's library. A driver in trouble may keep a call for minutes or for
 * good: a look then ends with what it has, and no further call is made before that one has come back.
 */

import { withMemoryOfAll } from '../device-processes.ts';
import type { Hardware, HardwareReading } from '../device-source.ts';
import { findNvmlDevices, type NvmlDevice } from './find.ts';
import { loadNvml, type Nvml, SUCCESS } from './library.ts';
import { LATE, withPatience } from './patience.ts';
import { loadMillisOf, loadsOf, memoryOf, powerOf, processesOf, temperatureOf } from './queries.ts';

/** A driver that nobody has used since the machine started wakes each device first, which takes seconds. */
const OPEN_PATIENCE_MS = 15_000;
const LOOK_PATIENCE_MS = 3000;
/** Drivers sample processes up to six times a second, some only once. */
const LOADS_OF_LAST_MS = 2000;

export interface NvmlOptions {
  /** A name as the loader looks for it, or a path. */
  readonly library?: string;
  readonly openPatienceMs?: number;
  readonly lookPatienceMs?: number;
}

/** Null when there is no library, or it finds no driver, or does not answer. */
export async function openNvml(options: NvmlOptions = {}): Promise<Hardware | null> {
  const nvml = loadNvml(options.library);
  if (nvml === null) return null;
  const opened = await withPatience(start(nvml), options.openPatienceMs ?? OPEN_PATIENCE_MS);
  if (opened === LATE || opened === null) return null;
  return hardwareOf(nvml, opened, options.lookPatienceMs ?? LOOK_PATIENCE_MS);
}

async function start(nvml: Nvml): Promise<readonly NvmlDevice[] | null> {
  return (await nvml.call('nvmlInit_v2')) === SUCCESS ? findNvmlDevices(nvml) : null;
}

interface Look {
  readonly readings: HardwareReading[];
  done: Promise<void>;
  isLate: boolean;
}

function hardwareOf(nvml: Nvml, devices: readonly NvmlDevice[], patienceMs: number): Hardware {
  let underWay: Look | null = null;
  let isClosed = false;

  const begin = (indices: ReadonlySet<number>): Look => {
    const look: Look = { readings: [], done: Promise.resolve(), isLate: false };
    const wanted = devices.filter(({ device }) => indices.has(device.index));
    const goesOn = () => !look.isLate && !isClosed;
    look.done = lookAtEach(nvml, wanted, look.readings, goesOn).finally(() => {
      underWay = null;
    });
    return look;
  };

  return {
    name: 'NVML',
    devices: devices.map(({ device }) => device),
    async read(indices) {
      if (isClosed || underWay?.isLate) return [];
      // Two who ask at once would only keep each other waiting: they share a look.
      underWay ??= begin(indices);
      const look = underWay;
      if ((await withPatience(look.done, patienceMs)) === LATE) look.isLate = true;
      return look.readings.filter(({ index }) => indices.has(index));
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      const end = async () => {
        await underWay?.done;
        await nvml.call('nvmlShutdown');
      };
      void end();
    },
  };
}

async function lookAtEach(
  nvml: Nvml,
  devices: readonly NvmlDevice[],
  into: HardwareReading[],
  goesOn: () => boolean,
): Promise<void> {
  for (const device of devices) {
    if (!goesOn()) return;
    const reading = await lookAt(nvml, device, goesOn);
    if (reading !== null) into.push(reading);
  }
}

/** Null when it cannot be read: it has fallen off the bus, or its driver is in trouble. */
async function lookAt(
  nvml: Nvml,
  { device, handle, isPart }: NvmlDevice,
  goesOn: () => boolean,
): Promise<HardwareReading | null> {
  const memory = await memoryOf(nvml, handle);
  if (memory === null || !goesOn()) return null;
  const loadMillis = isPart ? null : await loadMillisOf(nvml, handle);
  const temperatureC = await temperatureOf(nvml, handle);
  const powerW = await powerOf(nvml, handle);
  if (!goesOn()) return null;
  const running = await processesOf(nvml, handle);
  const asksLoads = !isPart && running !== null && running.length > 0 && goesOn();
  const loads = asksLoads ? await loadsOf(nvml, handle, Date.now() - LOADS_OF_LAST_MS) : null;
  if (!goesOn()) return null;
  const processes = running?.map((process) => ({
    ...process,
    loadMillis: loads === null ? null : (loads.get(process.pid) ?? 0),
  }));
  return {
    index: device.index,
    ...memory,
    loadMillis,
    temperatureC,
    powerW,
    processes: withMemoryOfAll(processes ?? null, memory.usedBytes),
  };
}
