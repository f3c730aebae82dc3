/**
 * Which devices a process may use when its environment has CUDA_VISIBLE_DEVICES: what CUDA would make of it, so
 * that a yard started inside somebody else's allocation stays inside, as it does with CPUs.
 */

import type { HardwareDevice } from './device-source.ts';

type Find = (devices: readonly HardwareDevice[], entry: string) => HardwareDevice | null;

/** All of them when there is no such variable. They stay in the order they have, with the numbers they have. */
export function visibleDevices(
  devices: readonly HardwareDevice[],
  variable: string | undefined,
): readonly HardwareDevice[] {
  if (variable === undefined) return devices;
  const entries = variable.split(',').map((entry) => entry.trim());
  const { find, areNames } = wayOf(entries[0] as string);
  const visible = new Set<HardwareDevice>();
  for (const entry of entries) {
    const device = find(devices, entry);
    // Whatever follows an entry that names no device is not looked at.
    if (device === null) break;
    // A device that is named twice makes the whole list worthless.
    if (visible.has(device)) return [];
    visible.add(device);
  }
  const kept = devices.filter((device) => visible.has(device));
  return areNames ? kept.map(byName) : kept;
}

/** Numbers and names do not mix: the first entry decides, and the list ends at an entry of another kind. */
function wayOf(first: string): { readonly find: Find; readonly areNames: boolean } {
  if (first.startsWith('GPU-')) return { find: named('GPU-'), areNames: true };
  if (first.startsWith('MIG-')) return { find: named('MIG-'), areNames: true };
  return { find: numbered, areNames: false };
}

/** Digits count up to the first character that is none, as `strtoul` has it. */
const numbered: Find = (devices, entry) => {
  const digits = /^\+?(\d+)/.exec(entry);
  return devices.find(({ index }) => index === Number(digits?.[1])) ?? null;
};

/** The beginning of a name is enough when no other device's begins like it. */
function named(prefix: string): Find {
  return (devices, entry) => {
    if (!entry.startsWith(prefix)) return null;
    const exact = devices.find((device) => namesOf(device).includes(entry));
    if (exact !== undefined) return exact;
    const candidates = devices.filter((device) => namesOf(device).some((name) => name.startsWith(entry)));
    return candidates.length === 1 ? (candidates[0] as HardwareDevice) : null;
  };
}

function namesOf({ uuid, aliases = [] }: HardwareDevice): readonly string[] {
  return uuid === undefined ? aliases : [uuid, ...aliases];
}

function byName(device: HardwareDevice): HardwareDevice {
  return device.uuid === undefined ? device : { ...device, visibleAs: device.uuid };
}
