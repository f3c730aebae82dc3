/** Which CPUs each task is bound to, and how that is said in Slurm's words. */

import type { Task } from './task-map.ts';

export interface CpuBinding {
  /** `none`, `cores`, `map_cpu`…; null when only loudness was given. */
  readonly type: string | null;
  readonly list: readonly string[];
  readonly isVerbose: boolean;
}

const PLAIN_TYPES = [
  'none',
  'rank',
  'rank_ldom',
  'sockets',
  'cores',
  'threads',
  'ldoms',
  'boards',
  'socket',
  'core',
  'thread',
  'ldom',
  'board',
];
const LIST_TYPES = ['map_cpu', 'mask_cpu', 'map_ldom', 'mask_ldom'];

/** Null when it is none. */
export function parseCpuBinding(text: string): CpuBinding | null {
  let isVerbose = false;
  let type: string | null = null;
  let list: readonly string[] = [];
  for (const part of partsOf(text)) {
    const [word = '', values = null] = part.split(/:(.*)/s);
    const lower = word.toLowerCase();
    if (/^(?:v|verbose)$/.test(lower)) isVerbose = true;
    else if (/^(?:q|quiet)$/.test(lower)) isVerbose = false;
    else if (lower === 'no' || (PLAIN_TYPES.includes(lower) && values === null))
      type = lower === 'no' ? 'none' : lower;
    else if (LIST_TYPES.includes(lower) && isList(lower, values)) {
      type = lower;
      list = (values ?? '').split(',').flatMap(repeated);
    } else return null;
  }
  return { type, list, isVerbose };
}

/** At commas, but a list keeps its own. */
function partsOf(text: string): readonly string[] {
  return text.match(/(?:map|mask)_\w+:.*$|[^,]+/gi) ?? [''];
}

function isList(type: string, values: string | null): boolean {
  const entry = type.startsWith('map') ? '(?:0x[0-9a-f]{1,8}|\\d{1,5})' : '(?:0x)?[0-9a-f]{1,64}';
  return new RegExp(`^${entry}(?:\\*\\d{1,4})?(?:,${entry}(?:\\*\\d{1,4})?)*$`, 'i').test(values ?? '');
}

function repeated(part: string): readonly string[] {
  const [entry = '', times = '1'] = part.split('*');
  return Array.from({ length: Number(times) }, () => entry);
}

/**
 * Empty: any. Nobody is bound by surprise: only where the job asked for CPUs or somebody asked for binding. Numbers
 * in lists count within what the step has on the node.
 */
export function cpusOf(
  { localRank, share, ranksOnNode }: Task,
  binding: CpuBinding | null,
  isExpected: boolean,
): readonly number[] {
  const { cpuIds } = share;
  const type = binding?.type ?? null;
  if (type === 'none' || (type === null && !isExpected)) return [];
  const entry = binding?.list[localRank % Math.max(1, binding.list.length)];
  if (type === 'map_cpu' && entry !== undefined) return cpuIds.slice(...oneAt(Number(entry)));
  if (type === 'mask_cpu' && entry !== undefined) return inMask(cpuIds, entry);
  const each = cpuIds.length / ranksOnNode.length;
  if (!Number.isInteger(each) || each === 0) return cpuIds;
  return cpuIds.slice(localRank * each, (localRank + 1) * each);
}

function inMask(cpuIds: readonly number[], entry: string): readonly number[] {
  const mask = BigInt(`0x${entry.replace(/^0x/i, '')}`);
  return cpuIds.filter((_, at) => (mask >> BigInt(at)) & 1n);
}

function oneAt(position: number): readonly [number, number] {
  return [position, position + 1];
}
