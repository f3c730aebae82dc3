/**
 * What one look at one device says about each attempt that holds it, and about strangers. Where the device does not
 * say who uses it, what can be said depends on how many hold it. Pure.
 */

import type { DeviceProcess, DeviceReading, ForeignProcess } from '../../model/device-use.ts';
import type { AttemptId } from '../../model/ids.ts';
import type { Owner, ProcessFacts } from './attribution.ts';

/** What an attempt was seen to use of a device. */
export interface Seen {
  readonly memoryBytes: number;
  /** Null: nobody can tell it apart from the others'. */
  readonly loadMillis: number | null;
}

export interface SharedOut {
  /** Those of whom something can be said. */
  readonly tenants: ReadonlyMap<AttemptId, Seen>;
  readonly foreign: readonly ForeignProcess[];
  readonly foreignBytes: number;
}

export interface Scene {
  readonly reading: DeviceReading;
  /** Who holds the device. */
  readonly held: readonly AttemptId[];
  /** Nobody holds it, or is about to. */
  readonly isFree: boolean;
  /** What was used of it when that was last so. */
  readonly baselineBytes: number;
  /** Null when the process is not to be seen. */
  readonly whoIs: (pid: number) => { readonly facts: ProcessFacts; readonly owner: Owner } | null;
}

/** What a driver may keep of a device for itself, in thousandths of it, and at most in bytes. */
const DRIVERS_MILLIS = 100;
const DRIVERS_BYTES = 1024 ** 3;

export function shareOut(scene: Scene): SharedOut {
  const { reading, held, isFree, whoIs } = scene;
  const processes = (reading.processes ?? []).map((process) => ({ process, who: whoIs(process.pid) }));
  const isTold = processes.some(({ who }) => who !== null) || (processes.length > 0 && isFree);
  if (!isTold && (reading.usedBytes > 0 || reading.processes === null)) return shareOutUntold(scene);
  const foreign = processes.filter(({ who }) => who === null || who.owner.kind === 'foreign');
  const tenants = held.map((attempt): [AttemptId, Seen] => {
    const isOwn = ({ who }: (typeof processes)[number]) =>
      who?.owner.kind === 'attempt' && who.owner.attempt === attempt;
    const own = processes.filter(isOwn).map(({ process }) => process);
    const others = processes.filter((each) => !isOwn(each)).map(({ process }) => process);
    return [attempt, { memoryBytes: memoryOf(own), loadMillis: loadOf(own, others, reading) }];
  });
  return {
    tenants: new Map(tenants),
    foreign: foreign.map(({ process: { pid, memoryBytes }, who }) => ({
      pid,
      memoryBytes,
      command: who?.facts.command ?? '',
      user: who?.facts.user ?? '',
    })),
    foreignBytes: memoryOf(foreign.map(({ process }) => process)),
  };
}

/** A device in a container, or one whose driver is sparing of words. */
function shareOutUntold({ reading, held, isFree, baselineBytes }: Scene): SharedOut {
  const { usedBytes, totalBytes } = reading;
  const before = isFree ? usedBytes : baselineBytes;
  const isDrivers = before <= Math.min(DRIVERS_BYTES, (totalBytes * DRIVERS_MILLIS) / 1000);
  const [only] = held;
  const tenants = new Map<AttemptId, Seen>();
  if (only !== undefined && held.length === 1) {
    const memoryBytes = Math.max(0, usedBytes - baselineBytes);
    tenants.set(only, { memoryBytes, loadMillis: isDrivers ? reading.loadMillis : null });
  }
  return { tenants, foreign: [], foreignBytes: isDrivers ? 0 : before };
}

function memoryOf(processes: readonly DeviceProcess[]): number {
  return processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
}

function loadOf(
  own: readonly DeviceProcess[],
  others: readonly DeviceProcess[],
  { loadMillis: ofDevice }: DeviceReading,
): number | null {
  const told = own.flatMap(({ loadMillis }) => loadMillis ?? []);
  const sum = told.reduce((total, load) => total + load, 0);
  if (told.length === own.length) return Math.min(1000, sum);
  return others.some(({ memoryBytes }) => memoryBytes > 0) ? null : ofDevice;
}
