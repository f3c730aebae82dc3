/** What a device is seen to be doing, and what of it one attempt has used. */

import type { AttemptId, NodeName } from './ids.ts';

/** One look at one device. */
export interface DeviceReading {
  readonly node: NodeName;
  readonly index: number;
  /** Of the whole device, whoever uses it. */
  readonly usedBytes: number;
  readonly totalBytes: number;
  /** How busy it is, in thousandths; null: it does not say. */
  readonly loadMillis: number | null;
  readonly temperatureC: number | null;
  readonly powerW: number | null;
  /** Null: it does not say who uses it. */
  readonly processes: readonly DeviceProcess[] | null;
}

export interface DeviceProcess {
  readonly pid: number;
  readonly memoryBytes: number;
  /** Null: nobody can tell it apart from the others'. */
  readonly loadMillis: number | null;
}

/** What one attempt has used of one device, over all of its run so far. */
export interface DeviceUse {
  readonly node: NodeName;
  readonly index: number;
  /** The model of device. */
  readonly kind: string;
  readonly memoryBytes: Rollup;
  /** In thousandths; null: nobody could tell it apart from its neighbours'. */
  readonly loadMillis: Rollup | null;
  readonly samples: number;
  /** Oldest first; absent: none was kept. */
  readonly curve?: DeviceCurve;
}

export interface Rollup {
  readonly peak: number;
  readonly p95: number;
  readonly mean: number;
}

/** Points at equal distances: the most of its memory and the mean of its load in each. */
export interface DeviceCurve {
  readonly everyMs: number;
  readonly memoryBytes: readonly number[];
  readonly loadMillis: readonly number[];
}

/** What is seen of one attempt on one device at this moment. */
export interface TenantNow {
  readonly attempt: AttemptId;
  readonly memoryBytes: number;
  readonly loadMillis: number | null;
  /** Since when it has the device and does nothing on it; null: it does something. */
  readonly idleSince: number | null;
}

/** A process on a device that no job or lease of the yard answers for. */
export interface ForeignProcess {
  readonly pid: number;
  readonly memoryBytes: number;
  /** What it is called; empty where the kernel does not say. */
  readonly command: string;
  readonly user: string;
}

/** What is seen of all devices, and how. */
export interface DevicesNow {
  /** `NVML`, `nvidia-smi`, `simulated`; null: nobody looks. */
  readonly source: string | null;
  readonly devices: readonly DeviceNow[];
}

/** A device at this moment, with who is on it. */
export interface DeviceNow {
  readonly reading: DeviceReading;
  readonly at: number;
  readonly tenants: readonly TenantNow[];
  readonly foreign: readonly ForeignProcess[];
}
