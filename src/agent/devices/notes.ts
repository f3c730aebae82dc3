/**
 * What is noted of an attempt that holds devices, so that a daemon that dies takes no more along than the last
 * seconds: one small file for each. Losing one costs no more than a curve.
 */

import { existsSync, readdirSync } from 'node:fs';
import type { AttemptId } from '../../model/ids.ts';
import { errorWords, readFileIfThere, removeIfThere } from '../../platform/files.ts';
import { rollupFrom, type UseRollup } from '../../telemetry/rollup.ts';
import { replaceFile, type YardFiles } from '../yard-files.ts';
import type { DeviceName } from './attribution.ts';

export interface DeviceNote {
  readonly isIdleSaid: boolean;
  /** How long each of its output files was when it started, by path. */
  readonly outputStarts: readonly (readonly [string, number])[];
  readonly devices: readonly NotedDevice[];
}

export interface NotedDevice extends DeviceName {
  readonly rollup: UseRollup | null;
  readonly idleFrom: number | null;
  readonly baselineBytes: number;
}

export interface DeviceNotes {
  read(attempt: AttemptId): DeviceNote | null;
  write(attempt: AttemptId, note: DeviceNote): void;
  remove(attempt: AttemptId): void;
  /** Removes those of attempts that nobody knows. */
  sweep(isKnown: (attempt: AttemptId) => boolean): void;
}

export function createDeviceNotes(
  { deviceUse }: Pick<YardFiles, 'deviceUse'>,
  log: (line: string) => void,
): DeviceNotes {
  const pathOf = (attempt: AttemptId) => `${deviceUse}/${attempt}`;
  let lastTrouble: string | null = null;

  return {
    read(attempt) {
      const bytes = readFileIfThere(pathOf(attempt));
      return bytes === null ? null : parseNote(bytes.toString('utf8'));
    },
    write(attempt, note) {
      try {
        replaceFile(pathOf(attempt), JSON.stringify(note));
        lastTrouble = null;
      } catch (error) {
        const trouble = errorWords(error);
        if (trouble !== lastTrouble) log(`what attempts use of GPUs cannot be noted: ${trouble}`);
        lastTrouble = trouble;
      }
    },
    remove(attempt) {
      if (existsSync(pathOf(attempt))) removeIfThere(pathOf(attempt));
    },
    sweep(isKnown) {
      for (const name of readdirSync(deviceUse)) if (!isKnown(name)) removeIfThere(pathOf(name));
    },
  };
}

/** Null when it is none, or not whole. */
export function parseNote(text: string): DeviceNote | null {
  try {
    const { isIdleSaid, outputStarts, devices } = JSON.parse(text) as DeviceNote;
    return {
      isIdleSaid: isIdleSaid === true,
      outputStarts: [...outputStarts],
      devices: devices.map((device) => ({ ...device, rollup: rollupFrom(device.rollup) })),
    };
  } catch {
    return null;
  }
}
