/** How devices are watched: what a yard decides, and what only tests change. */

import type { DeviceSource } from '../../telemetry/device-source.ts';

export interface DeviceOptions {
  /** Whoever opened it closes it. */
  readonly source: DeviceSource;
  /** From 1 to 10, while somebody holds a device. */
  readonly samplesPerSecond: number;
  /** What the first of a kind has shown by then is reported. */
  readonly learnAfterMs: number;
  readonly userName: (uid: number) => string;
}

export interface DeviceTimes {
  /** How often strangers are looked for while nobody holds a device. */
  readonly lookForStrangersEveryMs: number;
  readonly noteEveryMs: number;
  /** Who has done nothing for so long counts as idle... */
  readonly idleAfterMs: number;
  /** ...and after so long it is said in the log. */
  readonly sayIdleAfterMs: number;
  readonly gpuLogEveryMs: number;
}

export const DEVICE_TIMES: DeviceTimes = {
  lookForStrangersEveryMs: 2_000,
  noteEveryMs: 10_000,
  idleAfterMs: 60_000,
  sayIdleAfterMs: 600_000,
  gpuLogEveryMs: 60_000,
};
