/** Which of a step's devices each task sees: all of them, unless tasks are bound to some. */

import type { DeviceShare } from '../../../model/job.ts';
import type { Task } from './task-map.ts';

export type GpuBinding =
  /** Every task sees every device. */
  | { readonly kind: 'none' }
  /** So many devices for each task, in order. */
  | { readonly kind: 'perTask'; readonly count: number }
  /** One device for each, shared by so many tasks. */
  | { readonly kind: 'single'; readonly tasksPerGpu: number }
  /** For the tasks of a node in turn: positions among its devices. */
  | { readonly kind: 'lists'; readonly lists: readonly (readonly number[])[] };

/** Of `--gpu-bind`; null when it is none. */
export function parseGpuBinding(text: string): GpuBinding | null {
  const [type = '', value = ''] = text.replace(/^verbose,/i, '').split(/:(.*)/s);
  switch (type.toLowerCase()) {
    case 'none':
    case 'closest':
      return { kind: 'none' };
    case 'single':
      return /^[1-9]\d{0,5}$/.test(value) ? { kind: 'single', tasksPerGpu: Number(value) } : null;
    case 'per_task':
      return /^[1-9]\d{0,5}$/.test(value) ? { kind: 'perTask', count: Number(value) } : null;
    case 'map_gpu':
      return listed(value, /^\d{1,5}$/, (entry) => [Number(entry)]);
    case 'mask_gpu':
      return listed(value, /^(?:0x)?[0-9a-f]{1,16}$/i, positionsInMask);
    default:
      return null;
  }
}

const MOST_REPEATS = 4096;

/** `0*4,1*4` is four of the one and four of the other. */
function listed(
  text: string,
  form: RegExp,
  positions: (entry: string) => readonly number[],
): GpuBinding | null {
  const lists: (readonly number[])[] = [];
  for (const part of text.split(',')) {
    const [entry = '', times = '1'] = part.split('*');
    if (!form.test(entry) || !/^\d{1,4}$/.test(times) || lists.length > MOST_REPEATS) return null;
    for (let i = 0; i < Number(times); i++) lists.push(positions(entry));
  }
  return { kind: 'lists', lists };
}

function positionsInMask(entry: string): readonly number[] {
  const mask = BigInt(`0x${entry.replace(/^0x/i, '')}`);
  const positions: number[] = [];
  for (let bit = 0; bit < 64; bit++) if ((mask >> BigInt(bit)) & 1n) positions.push(bit);
  return positions;
}

export function devicesOf({ localRank, share }: Task, binding: GpuBinding): readonly DeviceShare[] {
  const { devices } = share;
  switch (binding.kind) {
    case 'none':
      return devices;
    case 'perTask':
      return devices.slice(localRank * binding.count, (localRank + 1) * binding.count);
    case 'single':
      return devices.slice(...oneAt(Math.floor(localRank / binding.tasksPerGpu) % devices.length));
    case 'lists': {
      const list = binding.lists[localRank % binding.lists.length] ?? [];
      return list.flatMap((at) => devices[at] ?? []);
    }
  }
}

function oneAt(position: number): readonly [number, number] {
  return [position, position + 1];
}
