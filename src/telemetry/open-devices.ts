/**
 * Finding the devices of this machine before anybody decides what its nodes are, and then seeing those of all
 * nodes as one source. Which way they are seen is decided here and nowhere else.
 */

import type { Node } from '../model/node.ts';
import type { DeviceSource, Hardware, HardwareDevice } from './device-source.ts';
import { devicesShownBy } from './devices.ts';
import { type NvmlOptions, openNvml } from './nvml/hardware.ts';
import { openSimulatedDevices } from './simulated.ts';
import { openSmi } from './smi.ts';
import { visibleDevices } from './visible-devices.ts';

const DRIVERS = '/proc/driver/nvidia/gpus';

export interface FindOptions {
  readonly nvml?: NvmlOptions;
  /** Where the kernel driver shows what it drives. */
  readonly drivers?: string;
}

/** What there is and may be used according to this environment. Never throws. */
export async function findHardware(
  environment: NodeJS.ProcessEnv,
  { nvml, drivers = DRIVERS }: FindOptions = {},
): Promise<Hardware> {
  const hardware = (await openNvml(nvml)) ?? (await withoutLibrary(environment, drivers));
  const devices = visibleDevices(hardware.devices, environment.CUDA_VISIBLE_DEVICES);
  return { ...hardware, devices: devices.map(withoutAliases) };
}

/** Without the kernel driver nvidia-smi can only fail, and starting it costs time. */
async function withoutLibrary(environment: NodeJS.ProcessEnv, drivers: string): Promise<Hardware> {
  const shown = devicesShownBy(drivers);
  const found = shown.length === 0 ? null : await openSmi({ environment });
  return (
    found ?? {
      name: shown.length === 0 ? 'none' : 'kernel driver',
      devices: shown,
      read: () => Promise.resolve([]),
      close: () => {},
    }
  );
}

function withoutAliases(found: HardwareDevice): HardwareDevice {
  const { aliases: _aliases, ...device } = found;
  return device;
}

export interface DevicesOf {
  readonly nodes: readonly Pick<Node, 'name' | 'devices'>[];
  /** Closed with the source; null: nobody has looked for any. */
  readonly hardware: Hardware | null;
  readonly simulatedDirectory: string;
}

/** Real devices have one number on the whole machine, and each is on one node; simulated ones are as many as they please. */
export function openDeviceSource({ nodes, hardware, simulatedDirectory }: DevicesOf): DeviceSource {
  const real = hardware === null ? [] : [realDevices(nodes, hardware)];
  const simulated = openSimulatedDevices({ nodes, directory: simulatedDirectory });
  const sources = [...real, simulated].filter(({ devices }) => devices.length > 0);
  return {
    name: sources.map(({ name }) => name).join(' and ') || 'none',
    devices: sources.flatMap(({ devices }) => devices),
    async read() {
      return (await Promise.all(sources.map((source) => source.read()))).flat();
    },
    close() {
      for (const source of [...real, simulated]) source.close();
    },
  };
}

function realDevices(nodes: DevicesOf['nodes'], hardware: Hardware): DeviceSource {
  const placed = nodes.flatMap(({ name, devices }) =>
    devices.filter(({ simulated }) => !simulated).map((device) => ({ node: name, device })),
  );
  const nodeOf = new Map(placed.map(({ node, device }) => [device.index, node]));
  const indices = new Set(nodeOf.keys());
  return {
    name: hardware.name,
    devices: placed.map(({ device }) => device),
    async read() {
      const readings = await hardware.read(indices);
      return readings.flatMap((reading) => {
        const node = nodeOf.get(reading.index);
        return node === undefined ? [] : [{ node, ...reading }];
      });
    },
    close: () => hardware.close(),
  };
}
