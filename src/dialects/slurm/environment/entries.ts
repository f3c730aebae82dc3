/** How groups of variables are written down: a name and a value each, where null means that it is not set. */

import type { Variables } from '../../../model/voice.ts';

export type Entry = readonly [name: string, value: string | number | null];

/** A later entry takes the place of an earlier one. */
export function variablesFrom(...groups: readonly (readonly Entry[])[]): Variables {
  const variables = new Map<string, string>();
  for (const [name, value] of groups.flat()) if (value !== null) variables.set(name, `${value}`);
  return variables;
}

/** One number per node, neighbours that are alike together: `2(x2),1`. */
export function countsText(counts: readonly number[]): string {
  const runs: { readonly count: number; times: number }[] = [];
  for (const count of counts) {
    const last = runs.at(-1);
    if (last?.count === count) last.times += 1;
    else runs.push({ count, times: 1 });
  }
  return runs.map(({ count, times }) => (times === 1 ? `${count}` : `${count}(x${times})`)).join(',');
}
