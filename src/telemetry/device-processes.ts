/** Who is on a device, where the driver tells that they are there but not what they use. */

import type { DeviceProcess } from '../model/device-use.ts';

export interface SeenProcess {
  readonly pid: number;
  /** Null: it is not told. */
  readonly memoryBytes: number | null;
  readonly loadMillis: number | null;
}

/**
 * One process of which nothing is told has what the others have not. Of several nobody knows who has what, and so
 * nobody knows who uses the device.
 */
export function withMemoryOfAll(
  processes: readonly SeenProcess[] | null,
  usedBytes: number,
): readonly DeviceProcess[] | null {
  if (processes === null) return null;
  if (processes.filter(({ memoryBytes }) => memoryBytes === null).length > 1) return null;
  const told = processes.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0);
  const rest = Math.max(0, usedBytes - told);
  return processes.map(({ memoryBytes, ...process }) => ({ ...process, memoryBytes: memoryBytes ?? rest }));
}
