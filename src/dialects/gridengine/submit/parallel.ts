/**
 * `-pe`: a parallel environment and how many slots. A slot is a rank, and how ranks are spread over nodes is what the
 * yard calls a layout.
 */

import type { ResourceRequest } from '../../../model/job-spec.ts';
import type { Layout } from '../../../model/policy.ts';
import type { NumberRange } from '../number-ranges.ts';
import { isPattern, matchesExpression } from '../patterns.ts';
import { rejected } from './complaints.ts';
import { isLenient, type Surroundings } from './surroundings.ts';
import { parseSlotRange } from './values.ts';

/** Grid Engine's number for as many as there are. */
export const MOST_SLOTS = 9_999_999;

export interface ParallelRequest {
  readonly ranks: Pick<
    ResourceRequest,
    'nodes' | 'ranks' | 'ranksMax' | 'ranksPerNode' | 'spread' | 'layout'
  >;
  /** The environment it got. */
  readonly name: string;
  readonly warnings: readonly string[];
}

const LIKE_SMP: Layout = { name: 'smp', spread: 'oneNode', maxRanks: null };

/** The words of the last `-pe`. */
export function parallelFrom(
  [wanted = '', range = '']: readonly string[],
  surroundings: Surroundings,
): ParallelRequest {
  const { first, last } = slotsOf(range);
  const { layouts } = surroundings.policy;
  const fitting = layouts.find(({ name }) => matchesExpression(wanted, name));
  if (fitting === undefined && !isLenient(surroundings)) {
    throw rejected(`job rejected: the requested parallel environment "${wanted}" does not exist`);
  }
  const layout = fitting ?? LIKE_SMP;
  const most = Math.min(last, layout.maxRanks ?? MOST_SLOTS);
  if (first > most) throw rejected('error: no suitable queues');
  const name = fitting?.name ?? (isPattern(wanted) ? LIKE_SMP.name : wanted);
  const warnings =
    fitting === undefined
      ? [
          `there is no parallel environment ${wanted} here; its slots are on one node, as with ${LIKE_SMP.name}`,
        ]
      : [];
  return { ranks: { ...spreadOf(layout, first, most), layout: layout.name }, name, warnings };
}

/** `slots` of `-l`: so many on one node, as if that were a parallel environment. */
export function slotsAlone(count: number): ParallelRequest['ranks'] {
  return spreadOf(LIKE_SMP, count, count);
}

function spreadOf({ spread }: Layout, ranks: number, ranksMax: number): ParallelRequest['ranks'] {
  const range = { ranks, ...(ranksMax > ranks ? { ranksMax } : {}) };
  if (spread === 'oneNode') return { ...range, nodes: { min: 1, max: 1 }, ranksPerNode: null };
  if (spread === 'fill') {
    return { ...range, nodes: { min: 1, max: ranksMax }, ranksPerNode: null, spread };
  }
  if (spread === 'roundRobin') {
    return { ...range, nodes: { min: 1, max: ranksMax }, ranksPerNode: null, spread: 'wide' };
  }
  const nodes = { min: Math.ceil(ranks / spread), max: Math.ceil(ranksMax / spread) };
  return { ...range, nodes, ranksPerNode: spread };
}

/** From the least of all ranges to the most. */
function slotsOf(text: string): { readonly first: number; readonly last: number } {
  const parsed = parseSlotRange(text);
  const ranges = parsed.ok ? parsed.value : [];
  const first = Math.min(...ranges.map((range) => range.first));
  const last = Math.max(...ranges.map((range) => range.last ?? MOST_SLOTS));
  if (ranges.length === 0 || first < 1) {
    throw rejected('"job" rejected: pe range must be greater than zero');
  }
  if (first > MOST_SLOTS) throw rejected('error: no suitable queues');
  return { first, last: Math.min(last, MOST_SLOTS) };
}

/** `2-4`, `4-9999999`, `2,4`: as Grid Engine says it back. */
export function slotRangeText(text: string): string {
  const parsed = parseSlotRange(text);
  if (!parsed.ok) return text;
  return parsed.value.map(rangeText).join(',');
}

function rangeText({ first, last }: NumberRange): string {
  return first === last ? `${first}` : `${first}-${last ?? MOST_SLOTS}`;
}
