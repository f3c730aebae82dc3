/**
 * What it is to see devices. Where they are seen (the driver's library, its command, a directory in which
 * somebody pretends) is each source's own affair; whoever asks gets readings and never an error.
 */

import type { DeviceReading } from '../model/device-use.ts';
import type { Device } from '../model/node.ts';

export interface DeviceSource {
  /** 'NVML', 'nvidia-smi', 'simulated'. */
  readonly name: string;
  /** Those there were when it was opened; simulated ones once for every node. */
  readonly devices: readonly Device[];
  /** One look at all of them. Never throws; a device that cannot be read is left out. */
  read(): Promise<readonly DeviceReading[]>;
  close(): void;
}

/** The machine does not know of nodes. */
export type HardwareReading = Omit<DeviceReading, 'node'>;

/** The devices of this machine, whichever nodes they will belong to. */
export interface Hardware {
  readonly name: string;
  readonly devices: readonly HardwareDevice[];
  /** Looks at those with these numbers. Never throws; a device that cannot be read is left out. */
  read(indices: ReadonlySet<number>): Promise<readonly HardwareReading[]>;
  close(): void;
}

export interface HardwareDevice extends Device {
  /** Other names by which programs may be told to see it. */
  readonly aliases?: readonly string[];
}
